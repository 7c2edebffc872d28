import type { Clock, Timer } from "../model/time/clock.js";
import { Conflict, StoreClosed } from "./errors.js";
import type { Store } from "./store.js";

/** What a store knows of its keys that do not stay. */
export interface ExpiryIndex {
  /** When the first of them is due. */
  nextExpiry(): number | undefined;
  /** Some of those due by now. */
  expired(now: number): readonly { key: string; revision: number }[];
}

/** Keys that are due within the same tenth of a second go together. */
const grain = 100;

/** How long to leave a store alone that could not delete what was due. */
const retryAfter = 1000;

/**
 * Deletes keys whose time has come, each by an ordinary commit of its own: a watcher that is cut off between
 * two of them can resume without missing one. A key that was put again in the meantime stays.
 *
 * There is at most one timer, set for the earliest time known; `noticed` moves it forward.
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
    this.#schedule(index.nextExpiry());
  }

  /** Tells of a key that was put with a time to live. */
  noticed(expires: number): void {
    if (expires < this.#due) this.#schedule(expires);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #schedule(due: number | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#due = due ?? Infinity;
    if (due === undefined || this.#stopped) return;
    const at = Math.ceil(due / grain) * grain;
    this.#timer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => void this.#sweep());
  }

  async #sweep(): Promise<void> {
    // Puts that come in while sweeping must not start a second sweep beside this one.
    this.#due = -Infinity;
    let next: number | undefined;
    try {
      for (let due = this.#expired(); due.length > 0 && !this.#stopped; due = this.#expired()) {
        await Promise.all(due.map(({ key, revision }) => this.#remove(key, revision)));
      }
      next = this.#stopped ? undefined : this.#index.nextExpiry();
    } catch (error) {
      if (error instanceof StoreClosed) return;
      // The store says so to everybody who writes to it; here it is enough to try again.
      next = this.#clock.now() + retryAfter;
    }
    this.#schedule(next);
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
