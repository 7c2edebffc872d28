/** A callback that is due later and can be called off until then. */
export interface Timer {
  cancel(): void;
}

/**
 * Where time comes from. Everything that waits or stamps takes one, so that a test can hand in a
 * {@link VirtualClock} and decide when a second has passed.
 */
export interface Clock {
  /** Milliseconds since 1970, as the wall shows them. */
  now(): number;
  /** Calls back once, `milliseconds` from now, and keeps no process alive for it. */
  after(milliseconds: number, callback: () => void): Timer;
}

/** Longest delay `setTimeout` takes; a longer one would fire at once. */
const maxTimeout = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const wait = Math.min(left, maxTimeout);
      handle = setTimeout(() => (left > wait ? arm(left - wait) : callback()), wait);
      handle.unref();
    };
    arm(milliseconds);
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Resolves after `milliseconds` on the given clock; rejects with the signal's reason when aborted first.
 *
 * @example
 * await sleep(clock, duration("1.5s"), signal);
 */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = clock.after(milliseconds, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    const abort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}
