import { PermanentError } from "../../controller/outcome.js";

/** What Kubernetes' conditions take for a reason. */
const pattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

export function isReason(text: string): boolean {
  return text.length <= 1024 && pattern.test(text);
}

/** Refuses a reason where it is given: the server would refuse the whole status because of it. */
export function checkedReason(reason: string, word: string): string {
  if (isReason(reason)) return reason;
  throw new PermanentError(
    "BadReason",
    `${word}() was given ${JSON.stringify(reason)} as the reason: it must be one word in CamelCase, such as NoTitle; what people read goes into the message`,
  );
}
