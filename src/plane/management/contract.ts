import type { FieldChange, KubeObject } from "../../model/core.js";
import type { BreakerSnapshot } from "../../runtime/breaker/breaker.js";
import type { HealthReport } from "../../runtime/health/health.js";
import type { Alert } from "../../runtime/performance/performance-monitor.js";
import type { SubscriptionState } from "../../events/events.js";
import type { DeadEvent } from "../../events/log/event-log.js";
import type { EventDocument } from "../../model/cloud-events/cloud-event.js";
import type { Finding } from "../../runtime/observe/findings/finding.js";
import type { Plan } from "../../runtime/plan/plan.js";
import type { PeerState } from "../peers/peer-state.js";
import type { StrategyHold } from "../../runtime/queue/strategy-hold.js";
import type { Run } from "../../runtime/runs/run.js";

/**
 * Path of the management API, which serves everything about a control plane that is not an object. Responses are JSON, or
 * with `follow=true` a stream of JSON lines that lasts until the client disconnects. Errors are Kubernetes Statuses; in a
 * stream an error is the last line. The contents of Secrets are hidden unless `reveal=true` is set; runs on disk do not
 * have them. The command line and the dashboard use this API.
 *
 * A request needs permission for its path, and for the objects that it reads from the store: `get` for the object of `history`,
 * `list` (following: `watch`, too) for the kind of `changes`, `list` for all kinds for `state`, `backup` and changes of all
 * kinds, `list` for Secrets to reveal those in runs and plans.
 *
 * | request | response |
 * |---|---|
 * | `GET controllers` | {@link ControllerList} |
 * | `POST controllers/NAME/enqueue`, `/pause`, `/resume`, `/retry` with {@link QueueCommandRequest} | {@link QueueCommandResult} |
 * | `GET dead` | {@link DeadList} |
 * | `GET queue?controller=&key=&failed=true&limit=` | {@link QueueList} of the `limit` (default 500) objects that are due first |
 * | `GET breakers` | {@link BreakerList} |
 * | `POST breakers/reset` with {@link BreakerResetRequest} | {@link BreakerResetResult} |
 * | `GET runs?kind=&key=&uid=&controller=&wroteKind=&wroteKey=&since=&after=&limit=` | {@link RunList} of the newest `limit` (default 50); following: {@link RunReport}s, the newest `limit` (default 0) first |
 * | `POST plan` with {@link PlanRequest} | {@link PlanResponse} |
 * | `GET history?apiVersion=&kind=&namespace=&name=` | {@link History} |
 * | `GET health` | {@link HealthReport}: all health checks, run now |
 * | `GET alerts` | {@link AlertList} |
 * | `GET top` | {@link Top}; following: one every `every` (default 2s) |
 * | `GET changes?apiVersion=&kind=&tail=&after=` | {@link ChangeList} of the newest `tail` (default 100); following: {@link ChangeReport}s, the newest `tail` (default 0) first |
 * | `GET subscriptions` | {@link SubscriptionList} |
 * | `GET dead-events` | {@link DeadEventList} |
 * | `POST subscriptions/NAME/retry` with {@link RetryEventsRequest} | {@link QueueCommandResult} |
 * | `GET state?key=&limit=` | {@link StateList}: entries of the store whose keys match a glob |
 * | `GET peers` | {@link PeerList} |
 * | `GET profile?seconds=&follow=true` | a CPU profile for Chrome; with `type=heap` a profile of allocations, with `type=heapsnapshot` a snapshot of the heap |
 * | `GET backup?follow=true` | a backup for `fettle restore` |
 */
export const managementPath = "/fettle/v1";

export interface PeerList {
  readonly peers: readonly PeerState[];
}

export interface ControllerState {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** True while the controller runs in this process. */
  readonly atWork: boolean;
  readonly paused: boolean;
  /** Keys of objects that are paused one by one. */
  readonly pausedObjects: readonly string[];
  readonly concurrency: number;
  readonly queue: {
    readonly ready: number;
    readonly running: number;
    readonly delayed: number;
    readonly dead: number;
  };
}

export interface ControllerList {
  readonly leader: boolean;
  readonly controllers: readonly ControllerState[];
  readonly findings: readonly Finding[];
}

export interface QueueCommandRequest {
  /** `namespace/name`. Default: all objects of the controller; for retry all dead letters. Enqueue requires it, or `all`. */
  readonly key?: string | undefined;
  /** Enqueues all objects of the controller. */
  readonly all?: boolean | undefined;
  /** Reason for the run, for enqueue and retry. */
  readonly reason?: string | undefined;
  /** Delay as a duration, for enqueue. */
  readonly after?: string | undefined;
}

export interface QueueCommandResult {
  /** Number of objects that the command was executed on. */
  readonly count: number;
}

export interface DeadList {
  readonly letters: readonly {
    readonly controller: string;
    readonly kind: string;
    readonly key: string;
    readonly failures: number;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly reason: string;
  }[];
}

/** An object in the queue of a controller. */
export interface QueuedObject {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  /**
   * `waiting`: due, until a worker is free. `delayed`: due later. `batched`: in a batch that is not complete. `dirty`: running, and
   * enqueued again meanwhile. `dead`: not retried.
   */
  readonly state: "waiting" | "delayed" | "batched" | "running" | "dirty" | "paused" | "dead";
  readonly priority: number;
  /** Failed runs in a row. */
  readonly failures: number;
  /** Time at which it is or was due, of a dead letter the time of the last failure; in milliseconds since 1970. */
  readonly due?: number | undefined;
  /** Newest reason for its next run, or its last failure. */
  readonly reason: string;
  /** Strategy that holds it back. Times are milliseconds since 1970; null for never. */
  readonly hold?: StrategyHold | undefined;
}

export interface QueueList {
  /** Those that are due first come first. */
  readonly objects: readonly QueuedObject[];
  /** True when more objects are queued than the limit allows. */
  readonly more: boolean;
}

export interface BreakerList {
  readonly breakers: readonly BreakerSnapshot[];
}

export interface BreakerResetRequest {
  /** Default: all breakers. */
  readonly name?: string | undefined;
}

export interface BreakerResetResult {
  /** Breakers as they were before they were reset. */
  readonly reset: readonly BreakerSnapshot[];
}

/** A run with the differences that its writes made, in place of the objects before and after. */
export interface RunReport extends Omit<Run, "writes"> {
  readonly writes: readonly {
    readonly verb: string;
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly subresource?: string | undefined;
    readonly at: number;
    readonly error?: string | undefined;
    /** True when no object is known to have existed before. */
    readonly isNew: boolean;
    /** Body of the request when the object before the write is not known; there are no changes then. */
    readonly sent?: unknown;
    /** Without the server's bookkeeping; none for a delete. */
    readonly changes: readonly FieldChange[];
  }[];
}

export interface SubscriptionList {
  readonly subscriptions: readonly SubscriptionState[];
}

export interface DeadEventList {
  /** Oldest first. */
  readonly letters: readonly DeadEvent[];
}

export interface RetryEventsRequest {
  /** Id of an event. Default: all dead letters of the subscription. */
  readonly id?: string | undefined;
}

export interface RunList {
  /** Oldest first. */
  readonly runs: readonly RunReport[];
}

export interface PlanRequest {
  readonly manifests: readonly KubeObject[];
}

/** Effects that a run would have, or the problem that kept it from being planned. */
export interface PlanReport extends Omit<Plan, "outcome"> {
  readonly outcome?: Plan["outcome"] | undefined;
  readonly problem?: string | undefined;
}

/** An error in one field. */
export interface FieldCause {
  readonly field?: string | undefined;
  readonly message?: string | undefined;
}

export interface ManifestPlan {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Effect on the object itself. */
  readonly object: {
    readonly action: "create" | "update" | "none";
    readonly before?: KubeObject | undefined;
    readonly after?: KubeObject | undefined;
    readonly changes: readonly FieldChange[];
    /** Error of the server; controllers are not planned then. */
    readonly problem?: string | undefined;
    /** The same error by field, if the server reports fields. */
    readonly causes?: readonly FieldCause[] | undefined;
  };
  /** One for each controller of the kind. */
  readonly controllers: readonly PlanReport[];
}

export interface PlanResponse {
  readonly plans: readonly ManifestPlan[];
}

/** One version of an object. */
export interface Version {
  readonly revision: number;
  /** `status` when only the status changed. */
  readonly type: "created" | "updated" | "status" | "deleted";
  readonly generation?: number | undefined;
  /** Time of the write according to managedFields. */
  readonly time?: string | undefined;
  /** Name of the user who made the write; undefined for a deletion. */
  readonly user?: string | undefined;
  /** Field managers under which the write was made. */
  readonly managers: readonly string[];
  /** For a deletion, the last version. */
  readonly object: KubeObject;
  /** Differences from the previous version without the server's bookkeeping; none for the first one. */
  readonly changes: readonly FieldChange[];
}

/** The versions of an object since the store's compaction, oldest first. */
export interface History {
  readonly versions: readonly Version[];
  /** Oldest revision that has not been compacted. */
  readonly floor: number;
}

export interface AlertList {
  /** False if no thresholds are configured. */
  readonly configured: boolean;
  /** Raised alerts, newest first, then resolved ones. */
  readonly alerts: readonly Alert[];
}

export interface Top {
  /** Newest health report; undefined until the first one. */
  readonly health?: HealthReport | undefined;
  /** Raised alerts, newest first. */
  readonly alerts: readonly Alert[];
  /** Hot loops and field fights, newest first. */
  readonly findings: readonly Finding[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds. */
  readonly uptime: number;
  readonly memory: { readonly rss: number; readonly heapUsed: number; readonly external: number };
  /** Processor usage; 1 is one processor. */
  readonly cpu: number;
  readonly revision: number;
  readonly controllers: readonly (ControllerState & {
    readonly runsPerSecond: number;
    readonly errorsPerSecond: number;
    /** Percentiles over the last 500 runs, in milliseconds. */
    readonly duration: { readonly p50: number; readonly p99: number };
    readonly wait: { readonly p50: number; readonly p99: number };
    /** Strategies that hold objects back, and the number of these. Times are milliseconds since 1970; null for never. */
    readonly holds: readonly StrategyHold[];
  })[];
  readonly informers: readonly {
    readonly kind: string;
    readonly size: number;
    readonly synced: boolean;
    readonly users: number;
  }[];
}

/** A change of an object, or an event that was emitted. */
export type ChangeReport = ObjectChangeReport | EmittedReport;

/** An event that is no change of an object. */
export interface EmittedReport {
  readonly revision: number;
  readonly type: "EMITTED";
  readonly event: EventDocument;
}

export interface ObjectChangeReport {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Time of the write according to managedFields; undefined for a deletion. */
  readonly time?: string | undefined;
  /** Name of the user who made the write; undefined for a deletion. */
  readonly user?: string | undefined;
  /** Field managers under which the write was made. */
  readonly managers: readonly string[];
  readonly object: KubeObject;
  /** Without the server's bookkeeping; none when the object was added or deleted. */
  readonly changes: readonly FieldChange[];
}

export interface ChangeList {
  /** Oldest first. */
  readonly changes: readonly ChangeReport[];
  /** The newest revision. */
  readonly revision: number;
}

export interface StateEntry {
  readonly key: string;
  readonly revision: number;
  /** Time of expiry, in milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** The stored JSON, or base64 text if the value is not JSON. */
  readonly value: unknown;
}

export interface StateList {
  readonly entries: readonly StateEntry[];
  readonly revision: number;
  /** True when more entries match than the limit allows. */
  readonly more: boolean;
}
