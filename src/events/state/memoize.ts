import { duration, type Clock, type Duration } from "../../model/core.js";
import { checkJson } from "./state-value.js";

export interface MemoizeOptions<Arguments extends readonly unknown[]> {
  /** Time for which a result is returned again, from the end of the call. Default: 5 minutes. */
  readonly ttl?: Duration | undefined;
  /** Key of a call; calls with the same key share results. Default: the arguments as JSON. */
  readonly key?: ((...args: Arguments) => string) | undefined;
  /** Results that are kept; the least recently used ones are dropped. Default: 1,000. */
  readonly size?: number | undefined;
}

/** A function whose results are kept for a time, in this process. Made by `state.memoize()`. */
export interface Memoized<Arguments extends readonly unknown[], Result> {
  (...args: Arguments): Promise<Result>;
  /** Drops the result for these arguments. */
  forget(...args: Arguments): void;
  /** Drops all results. */
  clear(): void;
}

const defaultTtl = "5m";
const defaultSize = 1000;

/**
 * Keeps the results of a function. Concurrent calls with the same arguments share one call, and failures are not kept.
 *
 * @throws {RangeError} for invalid options.
 */
export function memoize<Arguments extends readonly unknown[], Result>(
  fn: (...args: Arguments) => Result | PromiseLike<Result>,
  { ttl = defaultTtl, key = argumentsKey, size = defaultSize }: MemoizeOptions<Arguments>,
  clock: Clock,
): Memoized<Arguments, Result> {
  const lifetime = duration(ttl);
  if (!Number.isInteger(size) || size < 1) {
    throw new RangeError(`memoize: size must be an integer from 1, not ${size}`);
  }
  const results = new Map<string, { readonly value: Result; readonly expires: number }>();
  const calls = new Map<string, Promise<Result>>();

  const keep = (of: string, value: Result): void => {
    results.set(of, { value, expires: clock.now() + lifetime });
    const [oldest] = results.keys();
    if (results.size > size && oldest !== undefined) results.delete(oldest);
  };

  const memoized = async (...args: Arguments): Promise<Result> => {
    const of = key(...args);
    const kept = results.get(of);
    results.delete(of);
    if (kept !== undefined && clock.now() < kept.expires) {
      // Last in the order of the map: most recently used.
      results.set(of, kept);
      return kept.value;
    }
    const running = calls.get(of);
    if (running !== undefined) return running;
    const started = Promise.resolve(fn(...args));
    calls.set(of, started);
    try {
      const value = await started;
      // After `forget`, the result is returned to those who wait for it, but not kept.
      if (calls.get(of) === started) keep(of, value);
      return value;
    } finally {
      if (calls.get(of) === started) calls.delete(of);
    }
  };
  return Object.assign(memoized, {
    forget(...args: Arguments): void {
      const of = key(...args);
      results.delete(of);
      calls.delete(of);
    },
    clear(): void {
      results.clear();
      calls.clear();
    },
  });
}

/** @throws {TypeError} if an argument is not JSON. */
function argumentsKey(...args: readonly unknown[]): string {
  // f(1, undefined) is f(1).
  const given = args.slice(0, args.findLastIndex((each) => each !== undefined) + 1);
  try {
    checkJson(given, "argument", 20, "a memoized function");
  } catch (error) {
    throw new TypeError(
      `${(error as Error).message}: set the option key, which makes a key from the arguments`,
      {
        cause: error,
      },
    );
  }
  return JSON.stringify(given);
}
