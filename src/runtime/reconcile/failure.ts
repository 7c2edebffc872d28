import { asApiError } from "../../model/core.js";
import { PermanentError } from "../controller/outcome.js";
import { messageOf } from "../log/message-of.js";
import type { RunOutcome } from "../runs/run.js";
import { NameTakenError } from "./children/write-children.js";
import { isReason } from "./object/reason.js";
import { HandOver, StepError } from "./steps/steps.js";

/** Longest chain of causes that is followed. */
const maxCauses = 8;

/** Outcome of a run that threw. Never throws, whatever was thrown. */
export function failedOutcome(error: unknown, signal: AbortSignal): RunOutcome {
  if (signal.aborted && signal.reason instanceof HandOver)
    return { type: "cancelled", message: signal.reason.message };
  const message = messageOf(error);
  try {
    const permanent = causes(error).find((cause) => cause instanceof PermanentError);
    if (permanent === undefined) return { type: "error", reason: reasonOf(error, signal), message };
    const reason = isReason(permanent.reason) ? permanent.reason : "PermanentError";
    return { type: "fail", reason, message };
  } catch {
    // A getter of the error threw.
    return { type: "error", reason: "Error", message };
  }
}

/** Delay in milliseconds that a dependency or the server asks for before the next attempt. Never throws. */
export function retryAfterOf(error: unknown): number | undefined {
  try {
    for (const cause of causes(error)) {
      const { retryAfter } = cause as { retryAfter?: unknown };
      if (isDelay(retryAfter)) return retryAfter;
    }
    const seconds = asApiError(error)?.status.details?.retryAfterSeconds;
    return isDelay(seconds) ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "Timeout";
  const given = givenReason(error);
  if (given !== undefined) return given;
  if (error instanceof StepError) return "StepFailed";
  if (error instanceof NameTakenError) return "NameTaken";
  return asApiError(error)?.reason || "Error";
}

/** Reason that the user's code gave to its error, as for a PermanentError: `DiskFull` says more than `StepFailed`. */
function givenReason(error: unknown): string | undefined {
  for (const cause of causes(error)) {
    const { reason } = cause as { reason?: unknown };
    if (asApiError(cause) === undefined && typeof reason === "string" && isReason(reason)) return reason;
  }
  return undefined;
}

/** The error and its causes. */
function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error && found.length < maxCauses; cause = cause.cause)
    found.push(cause);
  return found;
}

function isDelay(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
