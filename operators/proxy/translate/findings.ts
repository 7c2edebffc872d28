import type { Finding } from "./translation.js";

/** Reason for objects whose part of the configuration nginx has refused. The Gateway API has no word for it. */
export const refusedByNginx = "RefusedByNginx";

export function finding(type: string, isTrue: boolean, reason: string, message: string): Finding {
  return { type, status: isTrue ? "True" : "False", reason, message };
}

/** A fault in an object: a reason for programs, and what is wrong with the way out. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

const maxProblems = 3;

/** Joins the first messages, and says how many there are besides. */
export function joinMessages(messages: readonly string[]): string {
  const rest = messages.length - maxProblems;
  const text = messages.slice(0, maxProblems).join("; ");
  return rest > 0 ? `${text}; and ${rest} more` : text;
}
