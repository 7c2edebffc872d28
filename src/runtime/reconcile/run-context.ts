import type { Client } from "../../client/client.js";
import type { Source } from "../../client/source/source.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import type { Transport } from "../../client/transport/transport.js";
import type { EnqueueTarget } from "../controller/reconcile-context.js";
import type { Clock, Duration, KubeObject, Random } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { DeclarativeOptions } from "../controller/controller.js";
import type { WorkOwnership } from "../lease/work-ownership.js";
import type { Log } from "../log/log.js";
import type { Observer } from "../observe/observer.js";
import type { Run } from "../runs/run.js";
import type { StagedChild } from "./children/staged.js";
import type { AppliedChildren } from "./children/write-children.js";
import type { StepBreaker, Steps } from "./steps/steps.js";

/** Everything that one run of a reconciler works with. A plan provides one whose transport and steps change nothing. */
export interface RunContext {
  readonly options: DeclarativeOptions;
  readonly controllerName: string;
  readonly runId: string;
  readonly clock: Clock;
  /** Transport whose writes become part of the run's record. */
  readonly transport: Transport;
  client(): Client;
  /** Aborts when the run is cancelled. For the runtime's own use: after the run, the signal may be used for another one. */
  readonly signal: AbortSignal;
  /** The same signal for the reconciler's own code, which may keep it. */
  exposeSignal(): AbortSignal;
  readonly log: Log;
  readonly steps: Steps;
  /** Resolves when effects have ended that ignored their signal. */
  readonly lingering?: Promise<unknown> | undefined;
  readonly applied: AppliedChildren;
  /** The cache of a kind that the controller watches; throws for others. */
  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source;
  readonly kind: KindInfo;
  recordEvent(object: KubeObject, reason: string, message: string, type: "Normal" | "Warning"): void;
  /** Publishes events that the reconciler has emitted. */
  publish(object: KubeObject | undefined, events: readonly EventInput[]): Promise<void>;
  enqueue(...request: Parameters<Enqueue>): void;
  /** Set in a plan: receives the children that would be written. Finalizer and status are left alone then. */
  readonly planChildren?: ((children: readonly StagedChild[]) => Promise<void>) | undefined;
}

/** Triggers a run of an object of any controller of this process. */
type Enqueue = (
  kind: { readonly apiVersion: string; readonly kind: string },
  which: EnqueueTarget,
  options?: { readonly reason?: string; readonly after?: Duration },
) => void;

/** Access to the API as the user of one controller. */
export interface ControllerAccess {
  readonly user: string | undefined;
  /** Transport whose writes show in the informers at once. */
  readonly transport: Transport;
  /** Creates a client over a transport that records; called once per run that uses its client. */
  readonly clientOver: (transport: Transport) => Client;
}

/** Services that the runs of all controllers of a process share. */
export interface RunDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly breaker: (name: string) => StepBreaker;
  readonly recordEvent: (
    controller: string,
    object: KubeObject,
    reason: string,
    message: string,
    type: "Normal" | "Warning",
    run?: string,
  ) => void;
  /** Publishes events; undefined where there are none. */
  readonly publish?: ((events: readonly EventInput[]) => Promise<void>) | undefined;
  readonly enqueue: Enqueue;
  /** Guards what a run writes: another process may have become the owner of its object. */
  readonly ownership: Pick<WorkOwnership, "guard">;
  readonly observer: Observer;
  record(run: Run): void;
}

/** Caches that a run reads from. */
export interface Caches {
  /** The kind the controller is for, as discovered from the server. */
  readonly kind: KindInfo;
  /** Objects of that kind. */
  readonly objects: Source;
  /** The cache of a kind that the controller watches; throws for others. */
  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source;
}
