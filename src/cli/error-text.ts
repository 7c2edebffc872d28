import { inspect } from "node:util";
import type { Terminal } from "./command.js";

/**
 * What people read of an error: its message. Errors with a name of their own say all there is; to others, what caused them is
 * added. With FETTLE_DEBUG=1 everything, with stacks.
 */
export function errorText(error: unknown, { env }: Pick<Terminal, "env">): string {
  if (env["FETTLE_DEBUG"]) return inspect(error, { depth: 4 });
  if (!(error instanceof Error)) return String(error);
  if (error.name === "ApiError" && "code" in error && error.code === 401) return strangerText(error.message);
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

/** Only of what the user's rights are about: a server may refuse for other reasons too. */
function forbiddenText(said: string): string {
  return / cannot \w+ (resource|path) /.test(said)
    ? `${said}; --kubeconfig and --context choose another user`
    : said;
}

/** Servers keep to themselves what is wrong with credentials. */
function strangerText(said: string): string {
  return `the server does not accept the credentials of this kubeconfig (${said}): are they for another server, or out of date?`;
}
