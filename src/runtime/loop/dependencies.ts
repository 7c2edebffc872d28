import type { Client } from "../../client/client.js";
import type { Informers } from "../../client/informer/informers.js";
import type { AnyKind, KindInfo } from "../../client/kinds/kind.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Clock, KubeObject, Random } from "../../model/core.js";
import type { Log } from "../observe/log.js";
import type { Observer } from "../observe/observer.js";
import type { QueueObserver } from "../queue/options.js";
import type { Run, Trigger } from "../runs/run.js";
import type { StepBreaker } from "../steps/steps.js";

/** What all controllers of a process share. */
export interface Dependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Its writes show in the informers at once. */
  readonly transport: Transport;
  readonly informers: Informers;
  /** Where objects are that do not say their namespace. */
  readonly namespace: string;
  kindInfo(kind: AnyKind): Promise<KindInfo>;
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
  /** Whether work on an object may begin in this process; all are its own without this. */
  readonly owns?: ((key: string) => boolean) | undefined;
  /** A run is over, or its function is left to itself. */
  readonly settled?: (() => void) | undefined;
  readonly observer: Observer;
  queueObserver?(controller: string): QueueObserver<Trigger> | undefined;
  record(run: Run): void;
}
