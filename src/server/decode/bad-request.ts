import { ApiError, failures } from "../../model/core.js";
import { DecodeError } from "./decode-error.js";

/** Message of the 400 for a problem; `syntax` is true when the body is malformed rather than unacceptable. */
export type MessageOf = (problem: string, syntax: boolean) => string;

/** Converts an error thrown by a decoder to an ApiError: 413 for limits, otherwise 400. */
export function asBadRequest(error: unknown, messageOf: MessageOf): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof DecodeError)) {
    // Third-party decoders throw errors of their own; the body is the cause of all of them.
    return failures.badRequest(messageOf(error instanceof Error ? error.message : String(error), true));
  }
  if (error.problem === "limit") return failures.requestEntityTooLarge(error.message);
  return failures.badRequest(messageOf(error.message, error.problem === "syntax"));
}
