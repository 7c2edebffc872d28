import type { Client } from "../../client/client.js";
import type { Clock } from "../../model/core.js";
import type { Keys, WorkOwnership } from "../lease/work-ownership.js";
import type { Log } from "../log/log.js";
import type { Schedule } from "../schedule/schedule.js";
import { startSchedule, type RunningSchedule, type ScheduleObserver } from "../schedule/start-schedule.js";

export interface SchedulesOptions {
  readonly schedules: readonly Schedule[];
  readonly ownership: WorkOwnership;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScheduleObserver | undefined;
  /** Creates a client that writes only while this process owns the key. */
  readonly clientFor: (key: string) => Client;
}

const ignoresSignal = "although it was cancelled: pass its signal to everything it awaits";

/** Schedules of this process. Each runs while this process owns its key, which is made of its name. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #running = new Map<Schedule, RunningSchedule>();
  /** Schedules that were stopped and whose last pass has not ended. */
  readonly #ending = new Map<Schedule, Promise<void>>();
  /** Passes that have begun and not ended: those of one term are waited for in the next. */
  readonly #passes = new Map<Schedule, Set<Promise<unknown>>>();

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  get running(): readonly RunningSchedule[] {
    return [...this.#running.values()];
  }

  /** Starts those of these keys that this process owns. */
  start(keys: Keys): void {
    for (const each of this.#options.schedules) if (keys(keyOf(each))) this.#start(each);
  }

  /** Stops those of these keys; resolves when their passes have ended, or ignore their signal. */
  async stop(keys: Keys): Promise<void> {
    for (const [schedule, running] of this.#running) {
      if (!keys(keyOf(schedule))) continue;
      this.#running.delete(schedule);
      const ending = running.stop().finally(() => {
        this.#ending.delete(schedule);
        this.#options.ownership.workEnded();
      });
      this.#ending.set(schedule, ending);
    }
    await Promise.all(this.#ending.values());
  }

  /** Keys of schedules that were stopped and whose last pass has not ended. */
  endingKeys(): readonly string[] {
    return Array.from(this.#ending.keys(), keyOf);
  }

  #start(schedule: Schedule): void {
    const { ownership, clock, clientFor } = this.#options;
    const key = keyOf(schedule);
    if (!ownership.owns(key) || this.#running.has(schedule)) return;
    const ending = this.#ending.get(schedule);
    if (ending !== undefined) return void ending.then(() => this.#start(schedule));
    const underWay = this.#passes.get(schedule) ?? new Set();
    this.#passes.set(schedule, underWay);
    const observer = this.#observerOf(schedule);
    this.#running.set(
      schedule,
      startSchedule(schedule, { clock, client: clientFor(key), observer, underWay }),
    );
  }

  #observerOf({ onError }: Schedule): ScheduleObserver {
    const { log, metrics } = this.#options;
    return {
      passed: (report) => metrics?.passed?.(report),
      skipped(name, due, lingering) {
        metrics?.skipped?.(name, due, lingering);
        if (lingering)
          log.warn({ schedule: name }, `no pass starts: an earlier one still runs ${ignoresSignal}`);
      },
      lingering: (name) => log.error({ schedule: name }, `a pass still runs ${ignoresSignal}`),
      failed(name, error, item) {
        metrics?.failed?.(name, error, item);
        // A schedule with an onError of its own reports its failures itself.
        if (onError === undefined)
          log.warn(
            { schedule: name, err: error },
            "a pass of a schedule failed; the next one starts as planned",
          );
      },
    };
  }
}

/** Key of a schedule; no object has such a key. */
function keyOf({ name }: Schedule): string {
  return `schedule//${name}`;
}
