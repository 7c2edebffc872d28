import type { ExitRecord } from "./driver.js";

/**
 * Describes an exit, as the rest of a sentence about the process.
 *
 * @example
 * exitText(exit); // "exited with code 1", "was killed by SIGKILL: its memory limit was exceeded"
 */
export function exitText(exit: ExitRecord): string {
  const { leftovers } = exit;
  if (leftovers === 0) return causeText(exit);
  const descendants =
    leftovers === 1
      ? "1 descendant was still running and was killed"
      : `${leftovers} descendants were still running and were killed`;
  return `${causeText(exit)}; ${descendants}`;
}

/** Describes the cause of an exit, without the descendants that it left. */
export function causeText({ cause, code, signal, oomKilled, problem }: ExitRecord): string {
  const memory = oomKilled ? ": its memory limit was exceeded" : "";
  switch (cause) {
    case "Exited":
      return `exited with code ${code}${memory}`;
    case "Signaled":
      return `was killed by ${signal}${memory}`;
    case "NotStarted":
      return `could not be started: ${problem === undefined ? "unknown reason" : lowerFirst(problem.message)}`;
    case "Rebooted":
      return "ended when the machine was rebooted";
    case "Unknown":
      return "ended without an exit code: its shim was killed";
  }
}

/** Continues a sentence with another one; names that begin with a capital letter stay as they are. */
function lowerFirst(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
}
