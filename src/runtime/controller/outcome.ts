import type { Duration } from "../../model/core.js";

/** Result of `wait()`: something is missing. */
export interface Wait {
  readonly type: "wait";
  readonly reason: string;
  readonly message: string;
  readonly after?: Duration | undefined;
}

/** Result of `requeue()`: done for now, to be reconciled again later. */
export interface Requeue {
  readonly type: "requeue";
  readonly after: Duration;
  readonly reason: string;
}

/** Result of `fail()`: a permanent failure, for which only a change helps. */
export interface Failed {
  readonly type: "fail";
  readonly reason: string;
  readonly message: string;
}

/** Return value of a reconciler; undefined means success. */
export type Verdict = Wait | Requeue | Failed | undefined | void;

/** Error with the effect of `fail()`, for code that cannot return: the run is not retried until something changes. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
  /** Reason of the condition: one word in CamelCase. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
