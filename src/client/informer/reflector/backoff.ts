import { type Clock, jitter, type Random, sleep } from "../../../model/core.js";

const first = 800;
const longest = 30_000;
const healthy = 120_000;

/**
 * Exponential backoff from 0.8 s to 30 s, with up to 100 % jitter so that clients that lost a server together do not
 * reconnect together. Starts over after two minutes without failure.
 */
export class ReconnectBackoff {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #since: number;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#since = clock.now();
  }

  /** Resets the backoff after progress. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Counts a failure; returns the number of failures since the last reset. */
  failed(): number {
    if (this.#clock.now() - this.#since >= healthy) this.#failures = 0;
    this.#since = this.#clock.now();
    return ++this.#failures;
  }

  /** Waits as long as the counted failures require, at least `least` milliseconds. */
  async wait(signal: AbortSignal, atLeast = 0): Promise<void> {
    const delay = Math.min(longest, first * 2 ** Math.min(this.#failures - 1, 16));
    await sleep(this.#clock, Math.max(atLeast, jitter(this.#random, delay, 1)), signal);
    this.#since = this.#clock.now();
  }
}
