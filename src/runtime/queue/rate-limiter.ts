import { type Duration, duration } from "../../model/time/duration.js";

/** Delay before a failed key is retried. Does not read a clock: the time is passed in. */
export interface RateLimiter {
  /** Delay in milliseconds, finite and at least 0, for a key that has failed `failures` times in a row (1 or more). */
  delay(key: string, failures: number, now: number): number;
}

/** The same delay before every retry. */
export function fixedDelay(delay: Duration): RateLimiter {
  const milliseconds = duration(delay);
  return { delay: () => milliseconds };
}

/**
 * Waits `base` after the first failure of a key and `factor` times as long after each further one, up to `max`.
 *
 * @example
 * exponentialBackoff("1s", "5m"); // 1s, 2s, 4s, ... 4m16s, 5m, 5m
 */
export function exponentialBackoff(base: Duration, max: Duration, factor = 2): RateLimiter {
  const first = duration(base);
  const longest = duration(max);
  if (first <= 0)
    throw new RangeError(`backoff cannot grow from ${base}: give a base above 0, or use fixedDelay`);
  if (longest < first) {
    throw new RangeError(
      `backoff from ${base} up to ${max} ends before it begins: give a max of at least the base`,
    );
  }
  if (!(factor >= 1 && Number.isFinite(factor))) {
    throw new RangeError(`backoff cannot grow by the factor ${factor}: give a number of 1 or more`);
  }
  return { delay: (_key, failures) => Math.min(longest, first * factor ** (failures - 1)) };
}

/**
 * Allows `burst` retries at once and `perSecond` from then on, for all keys together. A retry that finds no token reserves
 * the next one, so that waiting retries are spread out.
 */
export function tokenBucket(rate: { readonly perSecond: number; readonly burst: number }): RateLimiter {
  const { perSecond, burst } = rate;
  if (!(perSecond > 0 && Number.isFinite(perSecond))) {
    throw new RangeError(`a token bucket cannot fill at ${perSecond} per second: give a rate above 0`);
  }
  if (!(burst >= 1)) throw new RangeError(`a token bucket cannot hold ${burst}: give a burst of 1 or more`);

  // Negative while future tokens are reserved.
  let tokens = burst;
  let filledAt: number | undefined;
  return {
    delay(_key, _failures, now) {
      // A clock that was set back neither adds nor removes tokens.
      const elapsed = Math.max(0, now - (filledAt ?? now));
      filledAt = now;
      tokens = Math.min(burst, tokens + (elapsed * perSecond) / 1000) - 1;
      return tokens >= 0 ? 0 : (-tokens * 1000) / perSecond;
    },
  };
}

/** The longest delay of several limiters. Each of them counts every retry. */
export function maxOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    delay(key, failures, now) {
      let longest = 0;
      for (const limiter of limiters) longest = Math.max(longest, limiter.delay(key, failures, now));
      return longest;
    },
  };
}

/** Default limiter: 5ms doubling up to 1000s per key, and 10 per second (100 at once) for all keys. */
export function defaultLimiter(): RateLimiter {
  return maxOf(exponentialBackoff("5ms", "1000s"), tokenBucket({ perSecond: 10, burst: 100 }));
}
