import { ApiError, failures } from "../../model/core.js";
import { DecodeError } from "./decode-error.js";

/** Puts what is wrong with a body in the words of the request; `syntax` when it is not in its format at all. */
export type Phrase = (problem: string, syntax: boolean) => string;

/** The ApiError for anything that was thrown while a body was read. */
export function asBadRequest(error: unknown, phrase: Phrase): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof DecodeError)) {
    // Decoders of others throw what they like; whatever it is, the body made them.
    return failures.badRequest(phrase(error instanceof Error ? error.message : String(error), true));
  }
  if (error.problem === "limit") return failures.requestEntityTooLarge(error.message);
  return failures.badRequest(phrase(error.message, error.problem === "syntax"));
}
