import type { ChangeType } from "../source/source.js";

export type ChangeCounts = Readonly<Record<ChangeType, number>>;

/** Result of one poll. Durations are milliseconds. */
export interface PollReport {
  readonly name: string;
  readonly started: number;
  readonly duration: number;
  /** Number of objects. */
  readonly listed: number;
  /** Number of unchanged objects, which keep their identity. */
  readonly unchanged: number;
  readonly changes: ChangeCounts;
  /** Error of a failed poll, which changes nothing. */
  readonly error?: unknown;
}

/** Statistics of a poller since its creation. Durations are milliseconds. */
export interface PollStats {
  /** Number of lists. */
  readonly iterations: number;
  readonly changesDetected: number;
  /** Calls of subscribers by type, including the initial ones. */
  readonly eventsPublished: ChangeCounts;
  /** Share of unchanged objects among all listed; 0 before the first list. */
  readonly cacheHitRatio: number;
  readonly averageDuration: number;
  readonly lastDuration: number;
  /** Number of failed lists. */
  readonly errors: number;
  /** Number of failed lists since the last success. */
  readonly consecutiveErrors: number;
}

export type Counting = { -readonly [Type in ChangeType]: number };

export function noChanges(): Counting {
  return { CREATED: 0, UPDATED: 0, STATUS_UPDATED: 0, DELETED: 0 };
}

/** Sums up reports. */
export class PollCounters {
  #iterations = 0;
  #changes = 0;
  #listed = 0;
  #unchanged = 0;
  #duration = 0;
  #lastDuration = 0;
  #errors = 0;
  #consecutiveErrors = 0;
  readonly published = noChanges();

  get consecutiveErrors(): number {
    return this.#consecutiveErrors;
  }

  add(report: PollReport): void {
    this.#iterations++;
    this.#duration += report.duration;
    this.#lastDuration = report.duration;
    if ("error" in report) {
      this.#errors++;
      this.#consecutiveErrors++;
      return;
    }
    this.#consecutiveErrors = 0;
    this.#listed += report.listed;
    this.#unchanged += report.unchanged;
    for (const count of Object.values(report.changes)) this.#changes += count;
  }

  stats(): PollStats {
    return {
      iterations: this.#iterations,
      changesDetected: this.#changes,
      eventsPublished: { ...this.published },
      cacheHitRatio: this.#listed === 0 ? 0 : this.#unchanged / this.#listed,
      averageDuration: this.#iterations === 0 ? 0 : this.#duration / this.#iterations,
      lastDuration: this.#lastDuration,
      errors: this.#errors,
      consecutiveErrors: this.#consecutiveErrors,
    };
  }
}
