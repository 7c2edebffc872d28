import { failures, formatDuration, type ApiError, type Clock } from "../../model/core.js";

/**
 * Divides the timeout of a call among its requests: each request gets the call's options with the milliseconds that are
 * left. Throws a 504 when none are.
 *
 * @example
 * const left = timeLeft(clock, { timeout: 1000 });
 * await transport.get(kind, key, left());
 * await transport.update(kind, key, body, left());
 */
export function timeLeft<Options extends { readonly timeout?: number | undefined } | undefined>(
  clock: Clock,
  options: Options,
): () => Options {
  const timeout = options?.timeout;
  if (!isLimit(timeout)) return () => options;
  const endsAt = clock.now() + timeout;
  return () => {
    const left = endsAt - clock.now();
    if (left <= 0) throw timedOut(timeout, ": the call needs several requests, which took longer than that");
    return { ...options, timeout: left };
  };
}

/** Waits for a promise; rejects with a 504 that names `doing` after `timeout` milliseconds. The promise itself goes on. */
export function withTimeout<Value>(
  clock: Clock,
  promise: Promise<Value>,
  timeout: number | undefined,
  doing: string,
): Promise<Value> {
  if (!isLimit(timeout)) return promise;
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeout, () => reject(timedOut(timeout, ` of ${doing}`)));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Undefined, 0 and Infinity all mean: no limit. */
function isLimit(timeout: number | undefined): timeout is number {
  return timeout !== undefined && timeout !== 0 && timeout !== Infinity;
}

function timedOut(timeout: number, rest: string): ApiError {
  return failures.timeout(`gave up after ${formatDuration(Math.max(0, timeout))}${rest}`);
}
