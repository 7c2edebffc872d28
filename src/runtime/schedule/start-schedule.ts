import type { Client } from "../../client/client.js";
import { untilAborted } from "../../client/async/until-aborted.js";
import { systemClock, type Clock, type Timer } from "../../model/core.js";
import { runPass, type PassReport } from "./pass.js";
import type { Schedule } from "./schedule.js";

/** Observer of schedules, for metrics and logs. Errors that it throws are ignored. */
export interface ScheduleObserver {
  /** A pass is over. */
  passed?(report: PassReport): void;
  /**
   * A pass was due while another one was active, and was skipped. `lingering` if that one ignores that it was cancelled.
   */
  skipped?(name: string, due: number, lingering?: boolean): void;
  /** The schedule was stopped, and its pass ignores that it was cancelled. */
  lingering?(name: string): void;
  /** An item failed, or the pass as a whole if `item` is undefined. */
  failed?(name: string, error: unknown, item?: unknown): void;
}

export interface StartOptions {
  readonly clock?: Clock | undefined;
  readonly observer?: ScheduleObserver | undefined;
  /** Client of the schedule's functions. */
  readonly client?: Client | undefined;
  /** Work of passes that has not ended. Passing the same set to the next start prevents its passes from overlapping with it. */
  readonly underWay?: Set<Promise<unknown>> | undefined;
}

/** Counters of a schedule since its start. Durations are milliseconds. */
export interface ScheduleStats {
  /** Passes that are over. */
  readonly iterations: number;
  /** Passes that failed as a whole. */
  readonly failures: number;
  /** Times that were skipped because a pass was active. */
  readonly skipped: number;
  readonly processed: number;
  /** Items that failed. */
  readonly failed: number;
  readonly transitions: number;
  readonly cleanups: number;
  readonly averageDuration: number;
  readonly lastDuration: number;
}

/** A running schedule. */
export interface RunningSchedule extends AsyncDisposable {
  readonly name: string;
  /** Whether a pass is active, including one that ignores that it was cancelled. */
  readonly busy: boolean;
  /** When the next pass is due; undefined once stopped. */
  readonly due: number | undefined;
  stats(): ScheduleStats;
  /**
   * Runs a pass now, and returns its report. If one is active, which may have missed what the caller just changed, another one
   * starts right after it, which all callers until then share. The times of the schedule do not change.
   */
  trigger(): Promise<PassReport>;
  /** Starts no more passes, cancels the active one, and waits for it for a limited time. */
  stop(): Promise<void>;
}

/** Longest sleep in milliseconds: the wall clock can be set, so it is checked now and then. */
const maxSleep = 10 * 60_000;

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
  /** The active pass. Invariant: `#following` is set only while this pass, or work of an earlier one, has not ended. */
  #running: Promise<PassReport> | undefined;
  /** Work that has not ended, of the active pass and of cancelled ones. */
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

  /** Runs a pass as soon as all work of earlier ones has ended. */
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
    if (this.#underWay.size > 0) this.#notify(() => this.#options.observer?.lingering?.(this.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #wait(): void {
    const { cadence, every } = this.#schedule.timing;
    // Never longer than the interval, even if the wall clock was set back.
    const longest = cadence === undefined ? every : maxSleep;
    const sleep = Math.min(longest, Math.max(0, this.#due - this.#clock.now()));
    this.#timer = this.#clock.after(sleep, () => this.#wake());
  }

  #wake(): void {
    const { due } = this;
    if (due === undefined) return;
    const now = this.#clock.now();
    // An interval ends with its timer; a time of day is judged by the wall clock.
    if (this.#schedule.timing.cadence !== undefined && now < due) return this.#wait();
    this.#due = this.#dueAfter(due, now);
    this.#wait();
    if (this.busy) {
      const lingering = this.#running === undefined;
      this.#counts.skipped++;
      this.#notify(() => this.#options.observer?.skipped?.(this.name, due, lingering));
    } else {
      void this.#pass(due);
    }
  }

  /** The next time after `due`. Times that have passed, for example while the machine slept, are skipped. */
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
        this.#notify(() => this.#schedule.onError?.(error, item));
        this.#notify(() => this.#options.observer?.failed?.(this.name, error, item));
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
    this.#notify(() => this.#options.observer?.passed?.(report));
  }

  /** Errors of observers must not stop the schedule. */
  #notify(call: () => void): void {
    try {
      call();
    } catch {
      // An observer that fails has nobody else to report to.
    }
  }
}

function stoppedError(name: string): Error {
  return new Error(`schedule ${JSON.stringify(name)} was stopped`);
}
