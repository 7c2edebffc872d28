/** Scheduled callback that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/**
 * Source of time. Everything that waits or records a time takes one, so that a test can pass a {@link
 * VirtualClock} and decide when a second has passed.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  now(): number;
  /** Calls back once, `milliseconds` from now. Does not keep the process alive. */
  after(milliseconds: number, callback: () => void): Timer;
}

/** Longest delay that `setTimeout` accepts; a longer one fires at once. */
const maxTimeout = 2 ** 31 - 1;

/** Clock of the operating system. */
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
