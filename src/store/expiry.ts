import type { Clock, Timer } from "../model/time/clock.js";
import { Conflict, StoreClosed } from "./errors.js";
import type { Store } from "./store.js";

/** Keys of a store that have a time to live. */
export interface ExpiryIndex {
  /** Time at which the first of them expires. */
  nextExpiry(): number | undefined;
  /** Keys that have expired; not necessarily all of them. */
  expired(now: number): readonly { key: string; revision: number }[];
}

/** Expiry times are rounded up to a multiple of this many milliseconds, so that one sweep serves several keys. */
const granularity = 100;

/** Delay in milliseconds before a sweep that failed is tried again. */
const retryDelay = 1000;

/**
 * Deletes expired keys, each by a commit of its own, so that a watcher that is cut off between two of them can resume
 * without missing one. A key that was put again in the meantime stays.
 *
 * Invariant: there is at most one timer, set for `#due`, the earliest expiry; `schedule` moves it forward.
 */
export class Expiry {
  readonly #store: Store;
  readonly #index: ExpiryIndex;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #due = Infinity;
  #stopped = false;

  constructor(store: Store, index: ExpiryIndex, clock: Clock) {
    this.#store = store;
    this.#index = index;
    this.#clock = clock;
    this.#setTimer(index.nextExpiry());
  }

  /** Takes note of a key that was put with a time to live. */
  schedule(expires: number): void {
    if (expires < this.#due) this.#setTimer(expires);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #setTimer(due: number | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#due = due ?? Infinity;
    if (due === undefined || this.#stopped) return;
    const at = Math.ceil(due / granularity) * granularity;
    this.#timer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => void this.#sweep());
  }

  async #sweep(): Promise<void> {
    // Keys that are put during the sweep must not start a second one.
    this.#due = -Infinity;
    let next: number | undefined;
    try {
      for (let due = this.#expired(); due.length > 0 && !this.#stopped; due = this.#expired()) {
        await Promise.all(due.map(({ key, revision }) => this.#remove(key, revision)));
      }
      next = this.#stopped ? undefined : this.#index.nextExpiry();
    } catch (error) {
      if (error instanceof StoreClosed) return;
      // Other writers get the same error and report it.
      next = this.#clock.now() + retryDelay;
    }
    this.#setTimer(next);
  }

  #expired(): readonly { key: string; revision: number }[] {
    return this.#index.expired(this.#clock.now());
  }

  async #remove(key: string, revision: number): Promise<void> {
    try {
      await this.#store.commit([{ type: "delete", key, expect: revision }]);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}
