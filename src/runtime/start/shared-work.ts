import type { ControllerHandle } from "../loop/controller-handle.js";
import type { Schedule } from "../schedule/schedule.js";
import type { RunningSchedule } from "../schedule/start-schedule.js";
import type { Sharding, ShardWork } from "../shard/sharding.js";

export interface SharedWorkOptions {
  readonly sharding: Sharding;
  readonly controllers: readonly ControllerHandle[];
  readonly schedules: readonly Schedule[];
  /** Sets a schedule to work; it writes only while the key is this process's. */
  start(schedule: Schedule, key: string): RunningSchedule;
}

/**
 * What a process does with its shards: its controllers work on the objects in them. A schedule goes over everything, and is
 * at work where the shard is that its name falls into.
 */
export class SharedWork implements ShardWork {
  readonly #options: SharedWorkOptions;
  readonly #schedules = new Map<string, RunningSchedule>();
  /** Schedules whose last pass is still coming to its end. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(options: SharedWorkOptions) {
    this.#options = options;
  }

  get schedules(): readonly RunningSchedule[] {
    return [...this.#schedules.values()];
  }

  gained(shards: ReadonlySet<number>): void {
    const isGained = this.#isIn(shards);
    for (const each of this.#options.controllers) each.gain(isGained);
    for (const each of this.#options.schedules) if (isGained(keyOf(each.name))) this.#start(each);
  }

  leave(shards: ReadonlySet<number>): void {
    const isLost = this.#isIn(shards);
    for (const { loop } of this.#options.controllers) loop?.forget(isLost);
    for (const name of this.#schedules.keys()) if (isLost(keyOf(name))) this.#stop(name);
  }

  cut(shards: ReadonlySet<number>, reason: string): void {
    const isLost = this.#isIn(shards);
    for (const { loop } of this.#options.controllers) loop?.cut(isLost, reason);
  }

  busy(): ReadonlySet<number> {
    const { sharding, controllers } = this.#options;
    const busy = new Set<number>();
    for (const { loop } of controllers) {
      for (const key of loop?.underWay() ?? []) busy.add(sharding.shardOf(key));
    }
    for (const name of this.#ending.keys()) busy.add(sharding.shardOf(keyOf(name)));
    return busy;
  }

  #start(schedule: Schedule): void {
    const { name } = schedule;
    const key = keyOf(name);
    if (!this.#options.sharding.owns(key) || this.#schedules.has(name)) return;
    const before = this.#ending.get(name);
    if (before === undefined) this.#schedules.set(name, this.#options.start(schedule, key));
    else void before.then(() => this.#start(schedule));
  }

  #stop(name: string): void {
    const running = this.#schedules.get(name);
    if (running === undefined) return;
    this.#schedules.delete(name);
    const ending = running.stop().finally(() => {
      this.#ending.delete(name);
      this.#options.sharding.quiet();
    });
    this.#ending.set(name, ending);
  }

  #isIn(shards: ReadonlySet<number>): (key: string) => boolean {
    const { sharding } = this.#options;
    return (key) => shards.has(sharding.shardOf(key));
  }
}

/** No object has such a key. */
function keyOf(schedule: string): string {
  return `schedule//${schedule}`;
}
