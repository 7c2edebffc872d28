import type { Client, ObjectRef } from "../../client/client.js";
import type { AnyKind, ObjectOf } from "../../client/kinds/kind.js";
import type { Clock, Duration, KubeObject, Random } from "../../model/core.js";
import type { Resource } from "../../model/resource/resource-types.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { Schedule as PeriodicWork } from "../../runtime/schedule/schedule.js";
import type { TestObject } from "../api/put-objects.js";
import type { Comparable } from "./comparable.js";
import type { FaultKind } from "./schedule.js";

/** Tools of a workload. */
export interface WorkloadTools<World> {
  /** Client of the API without faults. */
  readonly client: Client;
  /** The outside world itself, for changes that do not come from the controllers. */
  readonly world: World;
  readonly clock: Clock;
  /** Lets time pass (`settle`, one minute by default) so that the controllers recover and finish their work. */
  readonly settled: () => Promise<void>;
  /** Lets time pass until a condition holds for an object. */
  readonly until: <K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    holds: (object: ObjectOf<K> | undefined) => boolean,
  ) => Promise<ObjectOf<K> | undefined>;
  readonly advance: (time: Duration) => Promise<void>;
}

/** Clock and random source that make every run of the workload the same. */
export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** System outside the API that the controllers act upon. It must be in memory, because time is virtual. */
export interface OutsideWorld<World> {
  /** Creates a new one for every run of the workload. */
  create(options: WorldOptions): World;
  /** State to compare at the end, as JSON, Maps, Sets and dates; synchronous, and called at any time. */
  snapshot(world: World): Comparable;
}

/** Controllers and a workload for them. */
export interface Scenario<World> {
  /**
   * Creates the controllers at every start. Faults can occur at calls of the methods of the `world` passed here, except while this
   * function runs: it may listen to events of the world, and send them to `triggers()`.
   */
  controllers(world: World, options: WorldOptions): readonly Controller[];
  schedules?(world: World): readonly PeriodicWork[];
  readonly world?: OutsideWorld<World> | undefined;
  workload(tools: WorkloadTools<World>): Promise<void>;
  /** Additional kinds to serve. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Initial objects. */
  readonly objects?: readonly TestObject[] | undefined;
  /** Returns the part of an object to compare; undefined: none. Versions, uids and times are never compared. */
  normalize?(object: KubeObject): unknown;
  /** Start time. */
  readonly start?: string | undefined;
}

export interface PerturbOptions {
  /** Maximum number of schedules to run, divided evenly among the kinds of faults. Default 300. */
  readonly limit?: number | undefined;
  /** Kinds of faults. Default: all. */
  readonly faults?: readonly FaultKind[] | undefined;
  /** Ids of the schedules to run, from a report. Default: all up to `limit`. */
  readonly only?: readonly string[] | undefined;
  /** Maximum number of faults in a schedule; 2 also runs pairs, up to `limit`. Default 1. */
  readonly depth?: 1 | 2 | undefined;
  /** Seed of uids, jitter and the choice of schedules. Default 1. */
  readonly seed?: number | undefined;
  /** Virtual time that controllers get to settle before the end is compared. Default 1 minute. */
  readonly settle?: Duration | undefined;
  /** Number of failures after which to stop. Default: none. */
  readonly failures?: number | undefined;
  /** Called after each schedule. */
  readonly onProgress?:
    | ((progress: {
        readonly done: number;
        readonly of: number;
        readonly failures: number;
        readonly schedule: string;
      }) => void)
    | undefined;
}
