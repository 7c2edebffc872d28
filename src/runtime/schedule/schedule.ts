import type { Client } from "../../client/client.js";
import { duration, type Clock, type Duration } from "../../model/core.js";
import { cron, type Cadence } from "./cron.js";

/** Argument of the functions of a schedule. */
export interface ScheduleContext {
  /** The schedule's name. */
  readonly name: string;
  readonly clock: Clock;
  /** Aborts when the schedule is stopped, and on the timeout. */
  readonly signal: AbortSignal;
  /** When this pass was due. */
  readonly due: number;
  /** Client that the schedule was started with; throws if it was started without one. */
  readonly client: Client;
  /** Counts objects that changed state. */
  readonly transitioned: (count?: number) => void;
  /** Counts things that were cleaned up. */
  readonly cleanedUp: (count?: number) => void;
}

/** Outcome of an item, for the counters: the same as calling `transitioned()` or `cleanedUp()`. */
type ItemOutcome = "changed" | "cleaned" | "unchanged";

/** Items of a pass: a list, a stream, or a promise of one. */
type Items<T> = Iterable<T> | AsyncIterable<T> | PromiseLike<Iterable<T> | AsyncIterable<T>>;

type Timing =
  | {
      /** Interval between the starts of two passes. */
      readonly every: Duration;
      readonly cron?: undefined;
      readonly timeZone?: undefined;
    }
  | {
      /** Times as a cron expression, such as `"0 2 * * *"`. */
      readonly cron: string;
      /** Default UTC. */
      readonly timeZone?: string | undefined;
      readonly every?: undefined;
    };

interface SetWork<T> {
  /** Returns the items of a pass. A stream is read while its items are processed, and never held as a whole. */
  readonly over: (context: ScheduleContext) => Items<T>;
  /** Filter of items. Default: all. */
  readonly where?: ((item: T) => boolean) | undefined;
  /** Processes one item. A failure is reported, and the others are processed all the same. */
  // oxlint-disable-next-line typescript/no-invalid-void-type -- saying nothing is the usual answer
  readonly each: (item: T, context: ScheduleContext) => ItemOutcome | void | Promise<ItemOutcome | void>;
  /** Items that are processed at the same time. Default 1. */
  readonly concurrency?: number | undefined;
  /**
   * Time limit of one item, after which it counts as failed. While an item ignores its signal, no other pass starts.
   */
  readonly itemTimeout?: Duration | undefined;
  readonly run?: undefined;
}

interface WholeWork {
  /** The whole pass in one function. */
  readonly run: (context: ScheduleContext) => void | Promise<void>;
  readonly over?: undefined;
}

interface Rest<T> {
  /** Names the schedule in metrics, logs and errors. */
  readonly name: string;
  /** Whether the first pass comes right at the start. Default: yes for `every`, no for `cron`. */
  readonly immediately?: boolean | undefined;
  /**
   * How long a pass may take. One that takes longer is given up; while it goes on regardless of its signal, no other one
   * begins.
   */
  readonly timeout?: Duration | undefined;
  /** Told of everything that fails: an item, or the pass as a whole when there is none. The schedule goes on anyway. */
  readonly onError?: ((error: unknown, item?: T) => void) | undefined;
}

export type ScheduleOptions<T> = Rest<T> & Timing & (SetWork<T> | WholeWork);

/** Periodic work over a whole set, as data; {@link startSchedule} runs it. */
export interface Schedule extends Rest<unknown> {
  /** Milliseconds, or the times of a cron expression. */
  readonly timing:
    | { readonly every: number; readonly cadence?: undefined }
    | {
        readonly cron: string;
        readonly timeZone: string;
        readonly cadence: Cadence;
        readonly every?: undefined;
      };
  readonly immediately: boolean;
  readonly timeout: number | undefined;
  readonly work: (SetWork<unknown> & { readonly itemTimeout: number | undefined }) | WholeWork;
  readonly concurrency: number;
}

/**
 * Defines work over a whole set that is done again and again, whatever changes are seen meanwhile: starting what is due,
 * ending what has expired, cleaning up. It never overlaps with itself, and no error ends it.
 *
 * @example
 * const expire = schedule({
 *   name: "expire-labs",
 *   every: "30s",
 *   over: ({ client }) => client.each(Lab),
 *   where: (lab) => lab.status?.phase === "Running",
 *   async each(lab, { client, clock }) {
 *     if (clock.now() < Date.parse(lab.spec.expires)) return;
 *     await client.patchStatus(Lab, lab, { status: { phase: "Timeout" } });
 *     return "changed";
 *   },
 * });
 */
export function schedule<T>(options: ScheduleOptions<T>): Schedule {
  const { name, onError } = options;
  if (name === "") throw new TypeError("a schedule needs a name, for metrics and errors");
  const of = `schedule ${JSON.stringify(name)}`;
  if ((options.every === undefined) === (options.cron === undefined)) {
    throw new TypeError(`${of} needs one of "every" and "cron"`);
  }
  if ((options.over === undefined) === (options.run === undefined)) {
    throw new TypeError(`${of} needs either "over" and "each", or "run"`);
  }
  const concurrency = options.over === undefined ? 1 : (options.concurrency ?? 1);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`${of} cannot work on ${concurrency} items at once: give a whole number from 1`);
  }
  return {
    name,
    timing: timingOf(of, options),
    immediately: options.immediately ?? options.every !== undefined,
    timeout: limit(options.timeout),
    concurrency,
    // From here on nobody needs to know what the items are: they only go from `over` to the functions beside it.
    work:
      options.over === undefined
        ? { run: options.run }
        : ({ ...options, itemTimeout: limit(options.itemTimeout) } as unknown as SetWork<unknown> & {
            readonly itemTimeout: number | undefined;
          }),
    onError: onError as Schedule["onError"],
  };
}

function timingOf(of: string, options: Timing): Schedule["timing"] {
  if (options.cron !== undefined) {
    const timeZone = options.timeZone ?? "UTC";
    return { cron: options.cron, timeZone, cadence: cron(options.cron, timeZone) };
  }
  const every = duration(options.every);
  if (every <= 0) throw new RangeError(`${of} cannot run every 0s: give it an interval such as "30s"`);
  return { every };
}

function limit(value: Duration | undefined): number | undefined {
  return value === undefined ? undefined : duration(value);
}
