import type { Clock } from "../../model/time/clock.js";
import { type Duration, duration } from "../../model/time/duration.js";
import type { DeadLetter, QueueOutcome, QueueItem } from "./queue-item.js";
import { defaultLimiter, type RateLimiter } from "./rate-limiter.js";
import { immediate, type Strategy, type StrategyInput } from "./strategy.js";

export interface QueueOptions<Reason> {
  readonly clock: Clock;
  /** Delay of retries. Default: 5ms doubling up to 1000s per key, and 10 per second for all keys together. */
  readonly limiter?: RateLimiter | undefined;
  /** Failures in a row after which a key is still retried; one more makes it dead. Default: unlimited. */
  readonly maxRetries?: number | undefined;
  /** Reasons kept per key. Default: 16. */
  readonly maxReasons?: number | undefined;
  /** Waiting time that is worth one step of priority. Default: 10s. */
  readonly ageing?: Duration | undefined;
  /** Fairness key of a key; fairness keys take turns. Default: the namespace, i.e. everything before the first slash. */
  readonly fairnessKey?: ((key: string) => string) | undefined;
  /** When changes are handled: one strategy for all, or a choice per change. Default: immediate. */
  readonly strategy?: Strategy | ((change: StrategyInput) => Strategy) | undefined;
  /** Called for every key that becomes dead. */
  readonly onDead?: ((letter: DeadLetter<Reason>) => void) | undefined;
  readonly metrics?: QueueObserver<Reason> | undefined;
}

/** Callbacks for what has happened in a queue. They must not throw. */
export interface QueueObserver<Reason> {
  /** A reason was added, also to a key that was waiting already. */
  added?(key: string): void;
  /** An item was taken, `waited` milliseconds after it was due. */
  taken?(item: QueueItem<Reason>, waited: number): void;
  /** A key failed, and is retried after `delay` milliseconds or earlier. */
  retried?(key: string, failures: number, delay: number): void;
  /** An item was finished, `took` milliseconds after it was taken. */
  done?(item: QueueItem<Reason>, took: number, outcome: QueueOutcome<Reason>["type"]): void;
}

/** Validated options with their defaults. */
export interface Settings<Reason> extends QueueOptions<Reason> {
  readonly limiter: RateLimiter;
  readonly maxRetries: number;
  readonly maxReasons: number;
  readonly ageing: number;
  readonly fairnessKey: (key: string) => string;
  readonly strategy: Strategy | ((change: StrategyInput) => Strategy);
}

export function resolveOptions<Reason>(options: QueueOptions<Reason>): Settings<Reason> {
  const {
    limiter = defaultLimiter(),
    maxRetries = Infinity,
    maxReasons = 16,
    fairnessKey = namespaceOf,
    strategy = immediate,
  } = options;
  const ageing = duration(options.ageing ?? "10s");
  if (!(ageing > 0)) {
    throw new RangeError("the queue's ageing cannot be 0, as priorities would mean nothing: give a duration");
  }
  if (!(maxRetries >= 0)) {
    throw new RangeError(`the queue's maxRetries cannot be ${maxRetries}: give 0 or more, or Infinity`);
  }
  if (!(maxReasons >= 1)) {
    throw new RangeError(`the queue's maxReasons cannot be ${maxReasons}: give 1 or more`);
  }
  return { ...options, limiter, maxRetries, maxReasons, ageing, fairnessKey, strategy };
}

function namespaceOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}
