import { PermanentError } from "../../controller/outcome.js";

/** Format of the reason of a Kubernetes condition. */
const pattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

export function isReason(text: string): boolean {
  return text.length <= 1024 && pattern.test(text);
}

/** Throws for a malformed reason, because of which the server would refuse the whole status. */
export function checkedReason(reason: string, word: string): string {
  if (isReason(reason)) return reason;
  throw new PermanentError(
    "BadReason",
    `${word}() got the invalid reason ${JSON.stringify(reason)}: use one word in CamelCase, such as NoTitle, and put the explanation into the message`,
  );
}
