import { inspect } from "node:util";
import type { Terminal } from "./command.js";

/**
 * What people read of an error: its message. Errors with a name of their own say all there is; to others, what caused them is
 * added. With FETTLE_DEBUG=1 everything, with stacks.
 */
export function errorText(error: unknown, { env }: Pick<Terminal, "env">): string {
  if (env["FETTLE_DEBUG"]) return inspect(error, { depth: 4 });
  if (!(error instanceof Error)) return String(error);
  let text = error.message === "" ? error.name : error.message;
  if (error.name !== "Error") return text;
  for (
    let cause = error.cause, depth = 0;
    cause instanceof Error && depth < 4;
    cause = cause.cause, depth++
  ) {
    if (cause.message !== "" && !text.includes(cause.message)) text += `: ${cause.message}`;
  }
  return text;
}
