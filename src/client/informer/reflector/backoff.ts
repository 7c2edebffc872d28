import { type Clock, jitter, type Random, sleep } from "../../../model/core.js";

const first = 800;
const longest = 30_000;
const healthy = 120_000;

/**
 * How long to wait after a failure: 0.8 s, then twice as long each time up to half a minute, and by chance up to once
 * more of that, so that clients which lost a server together do not return together. What worked for two minutes before
 * it failed starts over.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #since: number;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.#since = clock.now();
  }

  /** Something was learned since the last failure: the next one is the first again. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Counts a failure, and tells how many there have been without two good minutes in between. */
  failed(): number {
    if (this.#clock.now() - this.#since >= healthy) this.#failures = 0;
    this.#since = this.#clock.now();
    return ++this.#failures;
  }

  /** Waits as the failures counted until now demand, and at least as long as told. */
  async wait(signal: AbortSignal, atLeast = 0): Promise<void> {
    const delay = Math.min(longest, first * 2 ** Math.min(this.#failures - 1, 16));
    await sleep(this.#clock, Math.max(atLeast, jitter(this.#random, delay, 1)), signal);
    this.#since = this.#clock.now();
  }
}
