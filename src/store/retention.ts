import type { Clock, Timer } from "../model/time/clock.js";
import { duration, type Duration } from "../model/time/duration.js";

/** How much history a store keeps. Whichever bound is reached first decides. */
export interface RetentionPolicy {
  /** History older than this goes. Default one day. */
  readonly age?: Duration | undefined;
  /** Revisions further back than this many go. Default 100,000. */
  readonly count?: number | undefined;
  /** How often to look. Default every minute. */
  readonly every?: Duration | undefined;
}

/** The side of a store that retention works on. */
export interface Retained {
  readonly revision: number;
  readonly floor: number;
  /** The newest revision that was committed at or before `time`, at least the floor. */
  revisionAt(time: number): number;
  compact(revision: number): Promise<void> | void;
}

/** Moves a store's floor along in the background, as its policy says. */
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
    this.#timer = this.#clock.after(this.#every, () => void this.#look());
  }

  async #look(): Promise<void> {
    try {
      const tooOld = this.#store.revisionAt(this.#clock.now() - this.#age);
      const target = Math.max(this.#store.revision - this.#count, tooOld);
      if (target > this.#store.floor) await this.#store.compact(target);
    } catch {
      // A floor that could not be moved now (disk full, closing) is moved the next time.
    }
    this.#schedule();
  }
}
