/** Something to do: one object to look at, and all that has been said about why. */
export interface QueueItem<Reason> {
  /** Names the object; the queue has each key once, whatever the reasons. */
  readonly key: string;
  /** Every reason since the last time, oldest first; only the last ones when there were too many. */
  readonly reasons: readonly Reason[];
  /** How many reasons were dropped because there were too many. */
  readonly dropped: number;
  /** When the first of the reasons arrived. */
  readonly since: number;
  /** When it became due: what is between this and now is time spent waiting for a worker. */
  readonly due: number;
  /** When it was handed out. */
  readonly taken: number;
  /** How many times it has failed in a row. */
  readonly failures: number;
  readonly priority: number;
}

export interface AddOptions {
  /** Higher goes first. Adding again never lowers it. Default 0. */
  readonly priority?: number | undefined;
  /** Milliseconds from now; the earliest of several wins. */
  readonly after?: number | undefined;
  /** What kind of change this is, for a strategy that treats kinds of change differently. */
  readonly type?: string | undefined;
}

/** What became of a piece of work. */
export type Outcome<Reason> =
  /** It is as it should be: failures are forgotten. */
  | { readonly type: "done" }
  /** Look at it again later, at priority 0 unless said; failures are forgotten. What is added meanwhile may come earlier. */
  | {
      readonly type: "again";
      readonly after: number;
      readonly reason: Reason;
      readonly priority?: number | undefined;
    }
  /** It failed: again after a delay that grows (or `after`), at the priority it had; among the dead when it failed too often. */
  | { readonly type: "retry"; readonly reason: Reason; readonly after?: number | undefined }
  /** It failed, and trying again cannot help; only a new reason brings it back. */
  | { readonly type: "dead"; readonly reason: Reason };

/** What leaves something to be done, or to be given up. */
export type Unfinished<Reason> = Exclude<Outcome<Reason>, { readonly type: "done" }>;

/** Work that is not tried any more until somebody says so or its object changes. */
export interface DeadLetter<Reason> {
  readonly key: string;
  readonly reasons: readonly Reason[];
  readonly failures: number;
  /** When it was given up. */
  readonly at: number;
}
