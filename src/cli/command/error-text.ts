import { inspect } from "node:util";
import type { Terminal } from "./command.js";

/**
 * Message of an error for the terminal. The messages of its causes are appended to a plain `Error`; errors of a class of
 * their own are complete. With FETTLE_DEBUG=1 the whole error with stack traces.
 */
export function errorText(error: unknown, { env }: Pick<Terminal, "env">): string {
  if (env["FETTLE_DEBUG"]) return inspect(error, { depth: 4 });
  if (!(error instanceof Error)) return String(error);
  if (error.name === "ApiError" && "code" in error && error.code === 401)
    return unauthorizedText(error.message);
  if (error.name === "ApiError" && "code" in error && error.code === 403) return forbiddenText(error.message);
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

/** Adds a hint to RBAC denials; a 403 may have other reasons too. */
function forbiddenText(message: string): string {
  return / cannot \w+ (resource|path) /.test(message)
    ? `${message}; choose another user with --kubeconfig or --context`
    : message;
}

function unauthorizedText(message: string): string {
  return `the server rejected the credentials of this kubeconfig (${message}); are they expired, or for another server?`;
}
