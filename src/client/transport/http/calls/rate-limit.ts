import type { Clock, Timer } from "../../../../model/core.js";
import { keepProcessAlive } from "../../../async/keep-process-alive.js";

export interface Rate {
  readonly perSecond: number;
  /** Maximum number of requests at once. */
  readonly burst: number;
}

interface Waiter {
  readonly since: number;
  go(): void;
}

/**
 * Token bucket. Each request takes a token, or waits in line for one.
 *
 * Invariant: a timer is set exactly while requests wait, and fires when the first of them gets a token.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perMillisecond: number;
  readonly #burst: number;
  readonly #line = new Set<Waiter>();
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;
  #release: (() => void) | undefined;

  constructor({ perSecond, burst }: Rate, clock: Clock) {
    if (!(perSecond > 0) || !(burst >= 1)) {
      throw new RangeError(
        `a rate needs more than 0 calls per second and a burst of 1 or more, not ${perSecond} and ${burst}; use false for no limit`,
      );
    }
    this.#clock = clock;
    this.#perMillisecond = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.now();
  }

  /** Takes a token; resolves with the milliseconds waited. An abort leaves the line. */
  async take(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    this.#fill();
    if (this.#line.size === 0 && this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#line.delete(waiter);
        signal.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        leave();
        this.#arm();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        since: this.#clock.now(),
        go: () => {
          leave();
          resolve(this.#clock.now() - waiter.since);
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#line.add(waiter);
      this.#arm();
    });
  }

  #serve(): void {
    this.#timer = undefined;
    this.#fill();
    for (const waiter of this.#line) {
      // Tolerates rounding errors, which would cost another timer.
      if (this.#tokens < 1 - 1e-9) break;
      this.#tokens = Math.max(0, this.#tokens - 1);
      waiter.go();
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#line.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
      this.#release?.();
      this.#release = undefined;
      return;
    }
    this.#release ??= keepProcessAlive();
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, 1 - this.#tokens) / this.#perMillisecond;
    this.#timer = this.#clock.after(wait, () => this.#serve());
  }

  #fill(): void {
    const now = this.#clock.now();
    // The wall clock may be set back.
    const passed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#burst, this.#tokens + passed * this.#perMillisecond);
    this.#filledAt = now;
  }
}
