import type { Clock } from "../../model/time/clock.js";
import { type Duration, duration } from "../../model/time/duration.js";
import { defaultLimiter, type RateLimiter } from "./rate-limiter.js";
import type { StrategyInput, Strategy } from "./strategy.js";
import type { DeadLetter, Outcome, QueueItem } from "./queue-item.js";

export interface QueueOptions<Reason> {
  readonly clock: Clock;
  /** How long retries wait; by default 5ms doubling up to 1000s for each key, and 10 per second for all together. */
  readonly limiter?: RateLimiter | undefined;
  /** How often a key may fail in a row and still be tried again; after that it is dead. Default: any number. */
  readonly maxRetries?: number | undefined;
  /** How many reasons of one key are kept. Default 16. */
  readonly maxReasons?: number | undefined;
  /** Waiting this long is worth one step of priority. Default 10s. */
  readonly ageing?: Duration | undefined;
  /** Fairness key of a key; fairness keys take turns. Default: the namespace, i.e. everything before the first slash. */
  readonly fairnessKey?: ((key: string) => string) | undefined;
  /** When changes are acted upon: one strategy for all, or a choice for each change. Default: immediate. */
  readonly strategy?: Strategy | ((change: StrategyInput) => Strategy) | undefined;
  /** Told about every key that is given up. */
  readonly onDead?: ((letter: DeadLetter<Reason>) => void) | undefined;
  readonly metrics?: QueueObserver<Reason> | undefined;
}

/** Told what happens in a queue, once it has happened. It must not throw. */
export interface QueueObserver<Reason> {
  /** A reason was added, be it to a key that was waiting already. */
  added?(key: string): void;
  /** Work was handed out, `waited` milliseconds after it was due. */
  taken?(work: QueueItem<Reason>, waited: number): void;
  /** A key failed, and is tried again after `delay` milliseconds or earlier. */
  retried?(key: string, failures: number, delay: number): void;
  /** Work was finished, `took` milliseconds after it was handed out. */
  done?(work: QueueItem<Reason>, took: number, outcome: Outcome<Reason>["type"]): void;
}

/** Options with their defaults, checked. */
export interface Settings<Reason> extends QueueOptions<Reason> {
  readonly limiter: RateLimiter;
  readonly maxRetries: number;
  readonly maxReasons: number;
  readonly ageing: number;
  readonly fairnessKey: (key: string) => string;
}

export function settings<Reason>(options: QueueOptions<Reason>): Settings<Reason> {
  const {
    limiter = defaultLimiter(),
    maxRetries = Infinity,
    maxReasons = 16,
    fairnessKey = namespaceOf,
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
  return { ...options, limiter, maxRetries, maxReasons, ageing, fairnessKey };
}

function namespaceOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}
