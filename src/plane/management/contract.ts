import type { FieldChange, KubeObject } from "../../model/core.js";
import type { Finding } from "../../runtime/observe/findings/finding.js";
import type { Plan } from "../../runtime/plan/plan.js";
import type { Run } from "../../runtime/runs/run.js";

/**
 * What a control plane tells besides its objects, below {@link managementPath}: JSON, or with `follow=true` one JSON value a
 * line for as long as one listens. Failures are Kubernetes Statuses, also as a line of a stream, which is its last then. What
 * Secrets contain is left out unless it is asked for with `reveal=true`. The command line and the dashboard read these.
 *
 * | request | answer |
 * |---|---|
 * | `GET controllers` | {@link ControllerList} |
 * | `POST controllers/NAME/enqueue`, `/pause`, `/resume`, `/retry` with {@link QueueCommandRequest} | {@link QueueCommandResult} |
 * | `GET dead` | {@link DeadList} |
 * | `GET runs?kind=&key=&controller=&limit=` | {@link RunList}, the last 50 unless told; following: {@link RunReport}s, the last `limit` first |
 * | `POST plan` with {@link PlanRequest} | {@link PlanResponse} |
 * | `GET history?apiVersion=&kind=&namespace=&name=` | {@link History} |
 * | `GET top` | {@link Top}; following: one every `every` (default 2s) |
 * | `GET changes?apiVersion=&kind=&tail=` | {@link ChangeList}, the last 100 unless told; following: {@link ChangeReport}s, the last `tail` first |
 * | `GET state?key=&limit=` | {@link StateList}: what the store has under keys that match a glob, of which `*` is any text |
 * | `GET profile?seconds=&follow=true` | a CPU profile for Chrome |
 * | `GET backup?follow=true` | a backup, as `fettle restore` reads it |
 */
export const managementPath = "/fettle/v1";

export interface ControllerState {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** Whether it is at work in this process. */
  readonly atWork: boolean;
  readonly paused: boolean;
  /** The keys of those that are paused by name. */
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
  /** `namespace/name`; without it the whole controller is meant, or for retry all dead letters. */
  readonly key?: string | undefined;
  /** What people will read as the reason of the run, for enqueue and retry. */
  readonly reason?: string | undefined;
  /** A duration, for enqueue. */
  readonly after?: string | undefined;
}

export interface QueueCommandResult {
  /** How many objects it concerned. */
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

/** A run as it is told: what its writes changed in place of the objects before and after. */
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
    /** Whether nothing is known to have been there before. */
    readonly isNew: boolean;
    /** What was sent, when it is not known how the object was before: then no changes can be told. */
    readonly sent?: unknown;
    /** The server's bookkeeping apart; none for a delete. */
    readonly changes: readonly FieldChange[];
  }[];
}

export interface RunList {
  /** Oldest first. */
  readonly runs: readonly RunReport[];
}

export interface PlanRequest {
  readonly manifests: readonly KubeObject[];
}

/** What a controller would do; when that cannot be told, why not. */
export interface PlanReport extends Omit<Plan, "outcome"> {
  readonly outcome?: Plan["outcome"] | undefined;
  readonly problem?: string | undefined;
}

/** What is wrong with a field. */
export interface FieldCause {
  readonly field?: string | undefined;
  readonly message?: string | undefined;
}

export interface ManifestPlan {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** What applying the manifest would change of the object itself. */
  readonly object: {
    readonly action: "create" | "update" | "none";
    readonly before?: KubeObject | undefined;
    readonly after?: KubeObject | undefined;
    readonly changes: readonly FieldChange[];
    /** What the server has against it; then no controller was asked. */
    readonly problem?: string | undefined;
    /** The same by fields, where the server says which. */
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
  /** What made it: `status` when nothing but the status changed. */
  readonly type: "created" | "updated" | "status" | "deleted";
  readonly generation?: number | undefined;
  /** When and by whom, as far as managedFields tell. */
  readonly time?: string | undefined;
  readonly managers: readonly string[];
  /** For a deletion, the last there was. */
  readonly object: KubeObject;
  /** Against the version before, the server's bookkeeping apart; none for the first that is known. */
  readonly changes: readonly FieldChange[];
}

/** The versions of an object since the store's compaction, oldest first. */
export interface History {
  readonly versions: readonly Version[];
  /** The oldest revision that is still there. */
  readonly floor: number;
}

export interface Top {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds. */
  readonly uptime: number;
  readonly memory: { readonly rss: number; readonly heapUsed: number; readonly external: number };
  /** Of one processor, 0 to 1 and more. */
  readonly cpu: number;
  readonly revision: number;
  readonly controllers: readonly (ControllerState & {
    readonly runsPerSecond: number;
    readonly errorsPerSecond: number;
    /** Milliseconds, over the last runs. */
    readonly duration: { readonly p50: number; readonly p99: number };
    readonly wait: { readonly p50: number; readonly p99: number };
  })[];
  readonly informers: readonly {
    readonly kind: string;
    readonly size: number;
    readonly synced: boolean;
    readonly users: number;
  }[];
}

export interface ChangeReport {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  /** What was changed of it, the server's bookkeeping apart; none when it was added or deleted. */
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
  /** When it will be deleted by itself, in milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** What is stored, as JSON; a text in base64 when it is none. */
  readonly value: unknown;
}

export interface StateList {
  readonly entries: readonly StateEntry[];
  readonly revision: number;
  /** Whether there are more than were asked for. */
  readonly more: boolean;
}
