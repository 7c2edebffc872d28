import type { Duration } from "../../model/core.js";

/** Not there yet: what is missing will make itself known, or is looked at again after a while. */
export interface Wait {
  readonly type: "wait";
  readonly reason: string;
  readonly message: string;
  readonly after?: Duration | undefined;
}

/** All is well for now, and is looked at again later. */
export interface Requeue {
  readonly type: "requeue";
  readonly after: Duration;
  readonly reason: string;
}

/** It cannot work as it is, and trying again would not help: only a change does. */
export interface Failed {
  readonly type: "fail";
  readonly reason: string;
  readonly message: string;
}

/** What a reconciler may return; nothing means that all is well. */
export type Verdict = Wait | Requeue | Failed | undefined | void;

/** Throw it where `fail` is out of reach: the run fails for good and is not tried again until something changes. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
  /** One word in CamelCase for the condition. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
