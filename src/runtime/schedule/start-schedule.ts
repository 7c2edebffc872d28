import type { Client } from "../../client/client.js";
import { untilAborted } from "../../client/async/until-aborted.js";
import { systemClock, type Clock, type Timer } from "../../model/core.js";
import { runPass, type PassReport } from "./pass.js";
import type { Schedule } from "./schedule.js";

/** Watches schedules from outside: metrics, logs. What it throws is ignored. */
export interface ScheduleObserver {
  /** A pass is over. */
  passed?(report: PassReport): void;
  /**
   * A pass was due while another one was still at work, so there was none. `lingering` when that one was given up already,
   * and goes on regardless of its signal.
   */
  skipped?(name: string, due: number, lingering?: boolean): void;
  /** The schedule was stopped, and a pass of it goes on regardless of its signal. */
  lingering?(name: string): void;
  /** An item failed, or the pass as a whole when there is none. */
  failed?(name: string, error: unknown, item?: unknown): void;
}

export interface StartOptions {
  readonly clock?: Clock | undefined;
  readonly observer?: ScheduleObserver | undefined;
  /** What the schedule's functions get as `tools.client`. */
  readonly client?: Client | undefined;
  /** What passes have begun and has not ended. The same set for the next start keeps its passes from overlapping with these. */
  readonly underWay?: Set<Promise<unknown>> | undefined;
}

/** What a schedule has done since it was started. Durations are milliseconds. */
export interface ScheduleStats {
  /** Passes that are over. */
  readonly iterations: number;
  /** Passes that failed as a whole. */
  readonly failures: number;
  /** Ticks that were skipped because a pass was at work. */
  readonly skipped: number;
  readonly processed: number;
  /** Items that failed. */
  readonly failed: number;
  readonly transitions: number;
  readonly cleanups: number;
  readonly averageDuration: number;
  readonly lastDuration: number;
}

/** A schedule at work. */
export interface RunningSchedule extends AsyncDisposable {
  readonly name: string;
  /** Whether a pass is at work, be it one that was given up and goes on. */
  readonly busy: boolean;
  /** When the next pass is due; undefined once stopped. */
  readonly due: number | undefined;
  stats(): ScheduleStats;
  /**
   * Makes a pass now, and tells what it did. When one is at work already, which may have gone past what the caller just
   * changed, the next begins right after it; those who ask meanwhile share that one. When the schedule would have run
   * anyway does not change.
   */
  trigger(): Promise<PassReport>;
  /** No more passes: tells the one at work to stop, and waits for it, though not for ever. */
  stop(): Promise<void>;
}

/** A clock on the wall can be set, so nobody sleeps until a time on it without looking at it now and then. */
const longestNap = 10 * 60_000;

/**
 * Runs a schedule until it is stopped.
 *
 * @example
 * await using expiring = startSchedule(expire, { client });
 * await expiring.trigger();
 * expiring.stats().transitions;
 */
export function startSchedule(schedule: Schedule, options: StartOptions = {}): RunningSchedule {
  return new Loop(schedule, options);
}

class Loop implements RunningSchedule {
  readonly #schedule: Schedule;
  readonly #clock: Clock;
  readonly #options: StartOptions;
  readonly #stopped = new AbortController();
  #timer: Timer | undefined;
  #due: number;
  /** The pass at work. The one that was asked for to follow it is there only while something of a pass goes on. */
  #running: Promise<PassReport> | undefined;
  /** What goes on of the pass at work, and of those that were given up. */
  readonly #underWay: Set<Promise<unknown>>;
  #following: Promise<PassReport> | undefined;
  #totalDuration = 0;
  readonly #counts = {
    iterations: 0,
    failures: 0,
    skipped: 0,
    processed: 0,
    failed: 0,
    transitions: 0,
    cleanups: 0,
    lastDuration: 0,
  };

  constructor(schedule: Schedule, options: StartOptions) {
    this.#schedule = schedule;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#underWay = options.underWay ?? new Set();
    const now = this.#clock.now();
    this.#due = schedule.immediately ? now : this.#dueAfter(now, now);
    this.#wait();
  }

  get name(): string {
    return this.#schedule.name;
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#underWay.size > 0;
  }

  get due(): number | undefined {
    return this.#stopped.signal.aborted ? undefined : this.#due;
  }

  stats(): ScheduleStats {
    const { iterations } = this.#counts;
    return {
      ...this.#counts,
      averageDuration: iterations === 0 ? 0 : this.#totalDuration / iterations,
    };
  }

  async trigger(): Promise<PassReport> {
    if (this.#stopped.signal.aborted) throw stoppedError(this.name);
    if (!this.busy) return this.#pass(this.#clock.now());
    this.#following ??= this.#follow();
    return this.#following;
  }

  /** Makes a pass as soon as nothing of an earlier one goes on. */
  async #follow(): Promise<PassReport> {
    const { signal } = this.#stopped;
    try {
      while (this.busy) {
        const ended = this.#running ?? Promise.allSettled(this.#underWay);
        await untilAborted<unknown>(ended, signal);
      }
    } finally {
      this.#following = undefined;
    }
    return this.#pass(this.#clock.now());
  }

  async stop(): Promise<void> {
    this.#stopped.abort(stoppedError(this.name));
    this.#timer?.cancel();
    await this.#running;
    if (this.#underWay.size > 0) this.#tell(() => this.#options.observer?.lingering?.(this.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #wait(): void {
    const { cadence, every } = this.#schedule.timing;
    // Never longer than the interval, even if the wall was set back.
    const longest = cadence === undefined ? every : longestNap;
    const nap = Math.min(longest, Math.max(0, this.#due - this.#clock.now()));
    this.#timer = this.#clock.after(nap, () => this.#wake());
  }

  #wake(): void {
    const { due } = this;
    if (due === undefined) return;
    const now = this.#clock.now();
    // An interval is over when its timer says so; a time of day is there when the wall says so.
    if (this.#schedule.timing.cadence !== undefined && now < due) return this.#wait();
    this.#due = this.#dueAfter(due, now);
    this.#wait();
    if (this.busy) {
      const lingering = this.#running === undefined;
      this.#counts.skipped++;
      this.#tell(() => this.#options.observer?.skipped?.(this.name, due, lingering));
    } else {
      void this.#pass(due);
    }
  }

  /** When the tick after the one at `due` is. Ticks that have passed meanwhile, as in a machine that slept, are left out. */
  #dueAfter(due: number, now: number): number {
    const { cadence, every } = this.#schedule.timing;
    if (cadence !== undefined) return cadence.next(Math.max(due, now));
    const passed = Math.max(0, Math.floor((now - due) / every));
    this.#counts.skipped += passed;
    return due + (passed + 1) * every;
  }

  #pass(due: number): Promise<PassReport> {
    const running = runPass(this.#schedule, {
      clock: this.#clock,
      due,
      signal: this.#stopped.signal,
      underWay: this.#underWay,
      client: this.#options.client,
      onError: (error, item) => {
        this.#tell(() => this.#schedule.onError?.(error, item));
        this.#tell(() => this.#options.observer?.failed?.(this.name, error, item));
      },
    }).then((report) => {
      this.#running = undefined;
      this.#count(report);
      return report;
    });
    this.#running = running;
    return running;
  }

  #count(report: PassReport): void {
    const counts = this.#counts;
    counts.iterations++;
    if ("error" in report) counts.failures++;
    counts.processed += report.processed;
    counts.failed += report.failed;
    counts.transitions += report.transitions;
    counts.cleanups += report.cleanups;
    counts.lastDuration = report.duration;
    this.#totalDuration += report.duration;
    this.#tell(() => this.#options.observer?.passed?.(report));
  }

  /** Somebody who listens cannot end the schedule. */
  #tell(call: () => void): void {
    try {
      call();
    } catch {
      // It was told; there is nobody else to tell.
    }
  }
}

function stoppedError(name: string): Error {
  return new Error(`schedule ${JSON.stringify(name)} was stopped`);
}
