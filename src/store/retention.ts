import type { Clock, Timer } from "../model/time/clock.js";
import { duration, type Duration } from "../model/time/duration.js";

/** Bounds on the history that a store keeps; the tighter one applies. */
export interface RetentionPolicy {
  /** Maximum age. Default one day. */
  readonly age?: Duration | undefined;
  /** Maximum number of revisions. Default 100,000. */
  readonly count?: number | undefined;
  /** Interval between checks. Default one minute. */
  readonly every?: Duration | undefined;
}

/** Part of a store that {@link Retention} uses. */
export interface Retained {
  readonly revision: number;
  readonly floor: number;
  /** Newest revision that was committed at or before `time`; at least the floor. */
  revisionAt(time: number): number;
  compact(revision: number): Promise<void> | void;
}

/** Compacts a store in the background according to a policy. */
export class Retention {
  readonly #age: number;
  readonly #count: number;
  readonly #every: number;
  readonly #store: Retained;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(store: Retained, policy: RetentionPolicy, clock: Clock) {
    this.#age = duration(policy.age ?? "24h");
    this.#count = policy.count ?? 100_000;
    this.#every = duration(policy.every ?? "1m");
    this.#store = store;
    this.#clock = clock;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = this.#clock.after(this.#every, () => void this.#compact());
  }

  async #compact(): Promise<void> {
    try {
      const oldest = this.#store.revisionAt(this.#clock.now() - this.#age);
      const target = Math.max(this.#store.revision - this.#count, oldest);
      if (target > this.#store.floor) await this.#store.compact(target);
    } catch {
      // Compaction that fails (disk full, store closing) is tried again at the next check.
    }
    this.#schedule();
  }
}
