import { failures, formatDuration, type ApiError, type Clock } from "../model/core.js";
import type { CallOptions } from "./transport/transport.js";

/**
 * The time of a call that takes several requests: gives each the call's options, with what is left of its timeout by
 * then. Throws a 504 when nothing is.
 *
 * @example
 * const left = timeLeft(clock, { timeout: 1000 });
 * await transport.get(kind, target, left());
 * await transport.update(kind, target, body, left());
 */
export function timeLeft<Options extends CallOptions | undefined>(
  clock: Clock,
  options: Options,
): () => Options {
  const timeout = options?.timeout;
  if (!isLimit(timeout)) return () => options;
  const endsAt = clock.now() + timeout;
  return () => {
    const left = endsAt - clock.now();
    if (left <= 0) throw timeIsUp(timeout, ": the call takes more requests than that");
    return { ...options, timeout: left };
  };
}

/** A promise that others wait for too, for so long: then it rejects with a 504 that says what was waited for. */
export function inTime<Value>(
  clock: Clock,
  promise: Promise<Value>,
  timeout: number | undefined,
  doing: string,
): Promise<Value> {
  if (!isLimit(timeout)) return promise;
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeout, () => reject(timeIsUp(timeout, ` of ${doing}`)));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** 0 is no limit, as is none. */
function isLimit(timeout: number | undefined): timeout is number {
  return timeout !== undefined && timeout !== 0 && timeout !== Infinity;
}

function timeIsUp(timeout: number, rest: string): ApiError {
  return failures.timeout(`given up after ${formatDuration(Math.max(0, timeout))}${rest}`);
}
