import type { ChangeType } from "../source/source.js";

export type ChangeCounts = Readonly<Record<ChangeType, number>>;

/** What one look found. Durations are milliseconds. */
export interface PollReport {
  readonly name: string;
  readonly started: number;
  readonly duration: number;
  /** How many objects there are. */
  readonly listed: number;
  /** How many of them are as they were, and kept their identity. */
  readonly unchanged: number;
  readonly changes: ChangeCounts;
  /** Why it failed; nothing has changed then. */
  readonly error?: unknown;
}

/** What a poller has done since it was made. Durations are milliseconds. */
export interface PollStats {
  /** Lists that were tried. */
  readonly iterations: number;
  readonly changesDetected: number;
  /** Changes that were handed to a subscriber, once for each of them; also what a new one is told to begin with. */
  readonly eventsPublished: ChangeCounts;
  /** Of all objects that were listed, the share that was known and had not changed; 0 before the first. */
  readonly cacheHitRatio: number;
  readonly averageDuration: number;
  readonly lastDuration: number;
  /** Lists that failed. */
  readonly errors: number;
  /** Lists that failed since the last that did not. */
  readonly consecutiveErrors: number;
}

export type Counting = { -readonly [Type in ChangeType]: number };

export function noChanges(): Counting {
  return { CREATED: 0, UPDATED: 0, STATUS_UPDATED: 0, DELETED: 0 };
}

/** Adds up reports. */
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
