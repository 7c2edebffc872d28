import type { Change, KubeObject } from "../../model/core.js";
import type { Finding } from "../../runtime/observe/findings/finding.js";
import type { Plan } from "../../runtime/plan/plan.js";
import type { Run } from "../../runtime/runs/run.js";

/**
 * What a control plane tells besides its objects, below {@link managementPath}: JSON, or with `follow=true` one JSON value a
 * line for as long as one listens. Failures are Kubernetes Statuses. The command line and the dashboard read these.
 *
 * | request | answer |
 * |---|---|
 * | `GET controllers` | {@link ControllerList} |
 * | `POST controllers/NAME/enqueue`, `/pause`, `/resume`, `/retry` with {@link Instruction} | {@link Instructed} |
 * | `GET dead` | {@link DeadList} |
 * | `GET runs?kind=&key=&controller=&limit=` | {@link RunList}; following: {@link ToldRun}s |
 * | `POST plan` with {@link PlanRequest} | {@link PlanAnswer} |
 * | `GET history?apiVersion=&kind=&namespace=&name=` | {@link History} |
 * | `GET top` | {@link Top}; following: one every `every` (default 2s) |
 * | `GET changes?kind=` following | {@link ToldChange}s: every change of an object as the store tells it |
 * | `GET state?key=` | {@link StateList}: what the store has under keys that match a glob |
 * | `GET profile?seconds=&follow=true` | a CPU profile for Chrome |
 * | `GET backup?follow=true` | a backup, as `fettle restore` reads it |
 */
export const managementPath = "/fettle/v1";

export interface ControllerState {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether it is at work in this process. */
  readonly atWork: boolean;
  readonly paused: boolean;
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

export interface Instruction {
  /** `namespace/name`; without it the whole controller is meant, or for retry all dead letters. */
  readonly key?: string;
  readonly reason?: string;
  /** A duration, for enqueue. */
  readonly after?: string;
}

export interface Instructed {
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
export interface ToldRun extends Omit<Run, "writes"> {
  readonly writes: readonly {
    readonly verb: string;
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly subresource?: string | undefined;
    readonly at: number;
    readonly error?: string | undefined;
    readonly changes: readonly Change[];
  }[];
}

export interface RunList {
  /** Oldest first. */
  readonly runs: readonly ToldRun[];
}

export interface PlanRequest {
  readonly manifests: readonly KubeObject[];
}

export interface PlanAnswer {
  readonly plans: readonly {
    /** What applying the manifest would change of the object itself. */
    readonly object: {
      readonly action: "create" | "update" | "none";
      readonly changes: readonly Change[];
      readonly problem?: string | undefined;
    };
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    /** One for each controller of the kind. */
    readonly controllers: readonly Plan[];
  }[];
}

/** The versions of an object since the store's compaction, oldest first. */
export interface History {
  readonly versions: readonly {
    readonly revision: number;
    readonly type: "created" | "updated" | "status" | "deleted";
    readonly generation?: number | undefined;
    /** When and by whom, as far as managedFields tell. */
    readonly time?: string | undefined;
    readonly managers: readonly string[];
    readonly object: KubeObject;
    readonly changes: readonly Change[];
  }[];
  /** The oldest revision that is still there. */
  readonly floor: number;
}

export interface Top {
  readonly at: number;
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

export interface ToldChange {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

export interface StateList {
  readonly entries: readonly { readonly key: string; readonly revision: number; readonly value: unknown }[];
  readonly revision: number;
}
