import { sleepKeepingAlive } from "./async/keep-process-alive.js";
import { fraction, isConflict, systemClock, systemRandom, type Clock, type Random } from "../model/core.js";

export interface RetryOptions {
  /** Maximum number of attempts, including the first. Default: 10. */
  readonly attempts?: number | undefined;
  /** Milliseconds before the second attempt; doubles with each attempt. Default: 10. */
  readonly delay?: number | undefined;
  /** Maximum milliseconds between attempts. Default: 1000. */
  readonly longestDelay?: number | undefined;
  /** Milliseconds in all after which no attempt starts. Default: 0, no limit. */
  readonly timeout?: number | undefined;
  /** Errors to retry. Default: conflicts. */
  readonly retry?: ((error: unknown) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/**
 * Retries a read-modify-write on conflict; the attempt has to start with the read. Waits with exponential backoff and
 * jitter, and throws the last conflict.
 *
 * @example
 * await retryOnConflict(async () => {
 *   const site = await client.get(Site, "hello");
 *   await client.update({ ...site, spec: { ...site.spec, pages: site.spec.pages + 1 } });
 * });
 */
export async function retryOnConflict<Result>(
  attempt: (number: number) => Promise<Result>,
  options: RetryOptions = {},
): Promise<Result> {
  const { attempts = 10, delay = 10, longestDelay = 1000, retry = isConflict } = options;
  const { signal, timeout, clock = systemClock, random = systemRandom } = options;
  const endsAt = clock.now() + (timeout || Infinity);
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    try {
      return await attempt(number);
    } catch (error) {
      if (number >= attempts || !retry(error)) throw error;
      const longest = Math.min(longestDelay, delay * 2 ** (number - 1));
      const wait = longest * (0.5 + fraction(random) / 2);
      // The next attempt would start after the timeout.
      if (clock.now() + wait >= endsAt) throw error;
      await sleepKeepingAlive(clock, wait, signal);
    }
  }
}
