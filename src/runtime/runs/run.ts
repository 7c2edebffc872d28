import type { KindInfo } from "../../client/kinds/kind.js";
import type { KubeObject } from "../../model/core.js";

/** One reason why an object was enqueued. */
export interface Trigger {
  readonly type:
    | "found"
    | "created"
    | "updated"
    | "status"
    | "deleted"
    | "child"
    | "watched"
    | "resync"
    | "requeue"
    | "retry"
    | "manual"
    | "external"
    | "event"
    | "shard";
  /** Reason that a person or program gave, or the error of a failed run. */
  readonly text?: string | undefined;
  /** Other object that changed, such as `Page default/hello-1`. */
  readonly by?: string | undefined;
  /** `resourceVersion` of the object that changed. */
  readonly version?: string | undefined;
  readonly at: number;
  /** Event that caused the run. */
  readonly event?: { readonly id: string; readonly type: string; readonly hops: number } | undefined;
  /** Time for which the run was scheduled, if it was delayed. */
  readonly due?: number | undefined;
}

/** One step of a run: a named effect on the outside world. */
export interface StepRecord {
  readonly name: string;
  readonly startedAt: number;
  readonly duration: number;
  readonly attempts: number;
  readonly outcome: "done" | "skipped" | "failed" | "planned";
  readonly error?: string | undefined;
  /** In a plan: what the effect would be. */
  readonly detail?: string | undefined;
  /** Result of undoing the step after a later one failed. */
  readonly undo?: { readonly ok: boolean; readonly error?: string | undefined } | undefined;
}

/** One write to the API. The changes are the differences between `before` and `after`. */
export interface WriteRecord {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "deleteCollection";
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string | undefined;
  readonly at: number;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
  /** Body of the request when `before` is not known, so that there is nothing to compare with. */
  readonly sent?: unknown;
  /** Error message of a failed write. */
  readonly error?: string | undefined;
}

/** The part of a write that is known before it is sent. */
export interface WriteFacts extends Pick<WriteRecord, "verb" | "namespace" | "name" | "subresource"> {
  readonly kind: string;
}

/** Result of a run. */
export type RunOutcome =
  | { readonly type: "done" | "gone" }
  | { readonly type: "requeue"; readonly after: number; readonly reason: string }
  | {
      readonly type: "wait";
      readonly after?: number | undefined;
      readonly reason: string;
      readonly message: string;
    }
  /** Permanent failure: not retried until something changes. */
  | { readonly type: "fail"; readonly reason: string; readonly message: string }
  /** Retried with exponential backoff, until the run is `givenUp`. */
  | { readonly type: "error"; readonly reason: string; readonly message: string }
  /** The process stopped, or lost the lease, during the run. */
  | { readonly type: "cancelled"; readonly message: string };

/** Record of one run. */
export interface Run {
  readonly id: string;
  readonly controller: string;
  /** User as which the run sent its requests; undefined when the API does not say who this process is. */
  readonly user?: string | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  /** `namespace/name`. */
  readonly key: string;
  /** Distinguishes the object from an earlier one of the same name; undefined when the object was gone. */
  readonly uid?: string | undefined;
  readonly generation?: number | undefined;
  readonly triggers: readonly Trigger[];
  /** Number of triggers beyond the limit, which are not in `triggers`. */
  readonly droppedTriggers: number;
  /** Milliseconds in the queue after the run was due. */
  readonly wait: number;
  readonly startedAt: number;
  readonly duration: number;
  /** Number of failed runs in a row before this one. */
  readonly failures: number;
  readonly steps: readonly StepRecord[];
  readonly writes: readonly WriteRecord[];
  /** Number of writes beyond the limit; they came before the last one in `writes`. */
  readonly droppedWrites: number;
  readonly outcome: RunOutcome;
  /** True when the run failed and is not retried until something changes. */
  readonly givenUp?: boolean | undefined;
  /** True when the run was cancelled by its timeout. */
  readonly timedOut?: boolean | undefined;
  readonly traceId?: string | undefined;
}
