import type { Client } from "../../client/client.js";
import type { Source } from "../../client/informer/source.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Clock, KubeObject, Random } from "../../model/core.js";
import type { Log } from "../log/log.js";
import type { Observer } from "../observe/observer.js";
import type { Run } from "../runs/run.js";
import type { StagedChild } from "./children/staged.js";
import type { StepBreaker } from "./steps/steps.js";

/** Services that the runs of all controllers of a process share. */
export interface RunDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Its writes show in the informers at once. */
  readonly transport: Transport;
  /** A client over a transport that records; cheap, made per run. */
  readonly clientOver: (transport: Transport) => Client;
  breaker(name: string): StepBreaker;
  readonly note: (
    controller: string,
    object: KubeObject,
    reason: string,
    message: string,
    type: "Normal" | "Warning",
    run?: string,
  ) => void;
  /** Throws when this process must not act (any more) on an object: it does not lead, or the object is another's. */
  readonly guard?: ((key: string) => void) | undefined;
  readonly observer: Observer;
  record(run: Run): void;
  /** A child that was applied before is not as it should be, and is about to be set back or changed. */
  drift?(controller: string, owner: KubeObject, child: StagedChild, current: KubeObject): void;
}

/** Caches that a run reads from. */
export interface Caches {
  /** The kind the controller is for, as the server knows it. */
  readonly kind: KindInfo;
  /** Objects of that kind. */
  readonly objects: Source;
  /** The cache of a kind that the controller watches; throws for others. */
  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source;
}
