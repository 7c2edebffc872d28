import type { Informers } from "../../client/informer/informers.js";
import type { AnyKind, KindInfo } from "../../client/kinds/kind.js";
import type { WorkOwnership } from "../lease/work-ownership.js";
import type { QueueObserver } from "../queue/options.js";
import type { EventFeed } from "../controller/event-watch.js";
import type { ControllerAccess, RunDependencies } from "../reconcile/run-context.js";
import type { Trigger } from "../runs/run.js";

/** Services that all controllers of a process share. */
export interface Dependencies extends RunDependencies {
  readonly informers: Informers;
  /** Namespace of objects that are named without one. */
  readonly namespace: string;
  /** Access to the API as the user of a controller. */
  accessOf(controller: string): ControllerAccess;
  kindInfo(kind: AnyKind): Promise<KindInfo>;
  readonly ownership: WorkOwnership;
  /** Undefined where there are no events. */
  readonly events?: EventFeed | undefined;
  queueObserver?(controller: string): QueueObserver<Trigger> | undefined;
}
