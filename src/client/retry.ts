import { sleepKeepingAlive } from "./async/keep-process-alive.js";
import { fraction, isConflict, systemClock, systemRandom, type Clock, type Random } from "../model/core.js";

export interface RetryOptions {
  /** How often it is tried at most, the first time included. */
  readonly attempts?: number | undefined;
  /** Milliseconds before the second attempt; each further wait may be twice as long. */
  readonly delay?: number | undefined;
  /** Milliseconds that no wait exceeds. */
  readonly longestDelay?: number | undefined;
  /** Milliseconds in all after which it is not tried again; 0, as none, for no limit. */
  readonly timeout?: number | undefined;
  /** Which failures are worth another attempt: conflicts unless told. */
  readonly retry?: ((error: unknown) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/**
 * Does something again when somebody else was faster: what it does has to begin with reading. Waits longer each time, by
 * chance, so that two who are in each other's way do not stay in step. The last conflict is thrown.
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
      // To wait for what will not be in time helps nobody.
      if (clock.now() + wait >= endsAt) throw error;
      // Somebody waits for the outcome: the process must not end before it.
      await sleepKeepingAlive(clock, wait, signal);
    }
  }
}
