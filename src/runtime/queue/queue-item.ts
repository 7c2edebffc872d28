/** A key handed to a worker, with every reason for it. */
export interface QueueItem<Reason> {
  /** Name of the object. A queue has each key once, whatever the number of reasons. */
  readonly key: string;
  /** Reasons since the previous run, oldest first; only the latest when there were too many. */
  readonly reasons: readonly Reason[];
  /** Number of reasons dropped because there were too many. */
  readonly dropped: number;
  /** Time of the first reason. */
  readonly since: number;
  /** Time at which it became due; from then until `taken` it waited for a worker. */
  readonly due: number;
  /** Time at which it was taken. */
  readonly taken: number;
  /** Failures in a row before this run. */
  readonly failures: number;
  readonly priority: number;
}

export interface AddOptions {
  /** Higher goes first. Adding again never lowers it. Default: 0. */
  readonly priority?: number | undefined;
  /** Delay in milliseconds; the earliest of several wins. Default: 0. */
  readonly after?: number | undefined;
  /** Type of change, for strategies that depend on it. */
  readonly type?: string | undefined;
}

/** Result of working on an item. */
export type QueueOutcome<Reason> =
  /** Success; resets the failures. */
  | { readonly type: "done" }
  /** Success, to be run again after a delay or earlier, at priority 0 by default; resets the failures. */
  | {
      readonly type: "requeue";
      readonly after: number;
      readonly reason: Reason;
      readonly priority?: number | undefined;
    }
  /** Failure: retried at the same priority, after the limiter's delay or `after`; dead when the retries are used up. */
  | { readonly type: "retry"; readonly reason: Reason; readonly after?: number | undefined }
  /** Failure that a retry cannot mend: dead until the key is added again. */
  | { readonly type: "dead"; readonly reason: Reason };

/** Key whose retries are used up. It runs again when it is added or revived. */
export interface DeadLetter<Reason> {
  readonly key: string;
  readonly reasons: readonly Reason[];
  readonly failures: number;
  /** Time of the last failure. */
  readonly at: number;
}
