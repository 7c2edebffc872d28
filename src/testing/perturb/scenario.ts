import type { Client, ObjectRef } from "../../client/client.js";
import type { AnyKind, ObjectOf } from "../../client/kinds/kind.js";
import type { Clock, Duration, KubeObject, Random } from "../../model/core.js";
import type { Resource } from "../../model/resource/resource-types.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { Schedule as PeriodicWork } from "../../runtime/schedule/schedule.js";
import type { TestObject } from "../api/put-objects.js";
import type { Comparable } from "./comparable.js";
import type { FaultKind } from "./schedule.js";

/** What a workload has at hand. */
export interface WorkloadTools<World> {
  /** A client of the API that nothing goes wrong with. */
  readonly client: Client;
  /** The outside world itself, such as to change it behind the controllers' backs. */
  readonly world: World;
  readonly clock: Clock;
  /** Lets the controllers come to rest: a minute passes (`settle`), and what has failed meanwhile is made good. */
  readonly settled: () => Promise<void>;
  /** Lets time pass until an object is as it should be. */
  readonly until: <K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    holds: (object: ObjectOf<K> | undefined) => boolean,
  ) => Promise<ObjectOf<K> | undefined>;
  readonly advance: (time: Duration) => Promise<void>;
}

/** Where time and chance come from: with any others, nothing happens twice in the same way. */
export interface Givens {
  readonly clock: Clock;
  readonly random: Random;
}

/** What the controllers act upon besides the API. It must be in memory: time is virtual. */
export interface OutsideWorld<World> {
  /** A new one for every repetition. */
  create(givens: Givens): World;
  /** What is to be the same in the end, at once: JSON, Maps, Sets and dates. Asked for at any time. */
  snapshot(world: World): Comparable;
}

/** Controllers, and what they are put through. */
export interface Scenario<World> {
  /** Made anew whenever they are started. Calls of the world's methods through what they are given can fail. */
  controllers(world: World, givens: Givens): readonly Controller[];
  schedules?(world: World): readonly PeriodicWork[];
  readonly world?: OutsideWorld<World> | undefined;
  workload(tools: WorkloadTools<World>): Promise<void>;
  /** Further kinds that are served. */
  readonly kinds?: readonly Resource[] | undefined;
  /** What is there to begin with. */
  readonly objects?: readonly TestObject[] | undefined;
  /** What of an object is to be the same in the end; undefined for nothing. Versions, uids and times never are. */
  normalize?(object: KubeObject): unknown;
  /** When it begins. */
  readonly start?: string | undefined;
}

export interface PerturbOptions {
  /** How many repetitions there may be; when there are more to choose from, all kinds of faults get their share. Default 300. */
  readonly limit?: number | undefined;
  /** Only these kinds of faults. */
  readonly faults?: readonly FaultKind[] | undefined;
  /** Only these schedules, by the ids that reports name. */
  readonly only?: readonly string[] | undefined;
  /** How many faults there may be in one repetition: 2 tries pairs as well, as far as `limit` goes. Default 1. */
  readonly depth?: 1 | 2 | undefined;
  /** Decides what is left to chance: uids, jitter, and which schedules are chosen. Default 1. */
  readonly seed?: number | undefined;
  /** How long controllers are given to come to rest. Default 1 minute; nothing is compared before. */
  readonly settle?: Duration | undefined;
  /** Stop after so many failures. Default: never. */
  readonly failures?: number | undefined;
  /** Is told of each repetition as it ends. */
  readonly onProgress?:
    | ((progress: {
        readonly done: number;
        readonly of: number;
        readonly failures: number;
        readonly schedule: string;
      }) => void)
    | undefined;
}
