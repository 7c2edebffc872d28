/** Rules by which a limit is exceeded, and by which it is met again. */
export interface HysteresisOptions {
  readonly limit: number;
  /** Milliseconds for which every value has to be above the limit before it counts as exceeded. */
  readonly raiseAfter: number;
  /** Share of the limit below which values have to be again, such as 0.9. */
  readonly resolveBelow: number;
  /** Milliseconds for which they have to be. */
  readonly resolveAfter: number;
}

/**
 * Decides from values over time whether a limit is exceeded, so that a value close to the limit does not raise an alert again and
 * again. It has two states:
 *
 * - **met**: left when every value of the last `raiseAfter` milliseconds was above the limit.
 * - **exceeded**: left when every value of the last `resolveAfter` milliseconds was below `resolveBelow` times the limit.
 *
 * A value that does not point to the other state starts the time anew. No value (undefined) counts as far below the limit.
 */
export class Hysteresis {
  readonly #options: HysteresisOptions;
  #isExceeded = false;
  /** Time of the first value in a row that points to the other state. */
  #since: number | undefined;

  constructor(options: HysteresisOptions) {
    this.#options = options;
  }

  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Adds a value; returns the transition that it completes. */
  add(value: number | undefined, now: number): "raised" | "resolved" | undefined {
    const { limit, resolveBelow, raiseAfter, resolveAfter } = this.#options;
    const pointsAway = this.#isExceeded
      ? value === undefined || value < limit * resolveBelow
      : value !== undefined && value > limit;
    if (!pointsAway) {
      this.#since = undefined;
      return undefined;
    }
    // If the clock was set back, the elapsed time is unknown and counts from now.
    if (this.#since === undefined || now < this.#since) this.#since = now;
    if (now - this.#since < (this.#isExceeded ? resolveAfter : raiseAfter)) return undefined;
    this.#isExceeded = !this.#isExceeded;
    this.#since = undefined;
    return this.#isExceeded ? "raised" : "resolved";
  }
}
