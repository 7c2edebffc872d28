import type { KindInfo } from "../../client/kinds/kind.js";
import type { KubeObject } from "../../model/core.js";

/** Why an object is looked at. */
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
    | "shard";
  /** What people read: the reason that was given, or what failed. */
  readonly text?: string | undefined;
  /** The object whose change it was, when it was another one: `Page default/hello-1`. */
  readonly by?: string | undefined;
  /** The version of the object that changed. */
  readonly version?: string | undefined;
  readonly at: number;
  /** When it was meant for, if not at once. */
  readonly due?: number | undefined;
}

/** One effect on the outside world. */
export interface StepRecord {
  readonly name: string;
  readonly startedAt: number;
  readonly duration: number;
  readonly attempts: number;
  readonly outcome: "done" | "skipped" | "failed" | "planned";
  readonly error?: string | undefined;
  /** What became of taking it back, when that had to be. */
  readonly undo?: { readonly ok: boolean; readonly error?: string | undefined } | undefined;
}

/** One write to the API. What changed is told by comparing before and after, when somebody asks. */
export interface WriteRecord {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "deleteCollection";
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string | undefined;
  readonly at: number;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
  /** What was sent, when it is not known how the object was before: what has changed cannot be told then. */
  readonly sent?: unknown;
  /** The message of the failure; none when it succeeded. */
  readonly error?: string | undefined;
}

/** The part of a write that is known before it is sent. */
export interface WriteFacts extends Pick<WriteRecord, "verb" | "namespace" | "name" | "subresource"> {
  readonly kind: string;
}

/** How a run ended. */
export type RunOutcome =
  | { readonly type: "done" | "gone" }
  | { readonly type: "requeue"; readonly after: number; readonly reason: string }
  | {
      readonly type: "wait";
      readonly after?: number | undefined;
      readonly reason: string;
      readonly message: string;
    }
  /** It is not tried again until something changes. */
  | { readonly type: "fail"; readonly reason: string; readonly message: string }
  /** It is tried again, after a delay that grows. */
  | { readonly type: "error"; readonly reason: string; readonly message: string }
  /** The process stopped, or lost its leadership, in the middle. */
  | { readonly type: "cancelled"; readonly message: string };

/** All there is to say about one run. */
export interface Run {
  readonly id: string;
  readonly controller: string;
  /** User as which the run sent its requests. */
  readonly user: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly generation?: number | undefined;
  readonly triggers: readonly Trigger[];
  /** How many triggers were too many to keep. */
  readonly droppedTriggers: number;
  /** Milliseconds between being due and being started. */
  readonly wait: number;
  readonly startedAt: number;
  readonly duration: number;
  /** How many times it had failed before. */
  readonly failures: number;
  readonly steps: readonly StepRecord[];
  readonly writes: readonly WriteRecord[];
  /** How many writes were too many to keep: those before the last one. */
  readonly droppedWrites: number;
  readonly outcome: RunOutcome;
  /** It was cancelled because its time was up. */
  readonly timedOut?: boolean | undefined;
  readonly traceId?: string | undefined;
}
