import type { Client } from "../../client/client.js";
import { within, type Clock } from "../../model/core.js";
import { cancellable } from "../cancel/cancellable.js";
import type { Schedule, ScheduleContext } from "./schedule.js";

/** Report of one pass. */
export interface PassReport {
  readonly name: string;
  readonly due: number;
  readonly started: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Items that were processed, including failed ones. */
  readonly processed: number;
  readonly failed: number;
  readonly transitions: number;
  readonly cleanups: number;
  /** Error of the pass as a whole: its query, its `run`, or its timeout. Failed items do not fail the pass. */
  readonly error?: unknown;
  /** The pass ended early because the schedule was stopped. */
  readonly stopped: boolean;
}

export interface PassContext {
  readonly clock: Clock;
  readonly due: number;
  readonly signal: AbortSignal;
  readonly client?: Client | undefined;
  /** Work of passes that has not ended, including cancelled ones. */
  readonly underWay: Set<Promise<unknown>>;
  readonly onError: (error: unknown, item?: unknown) => void;
}

/**
 * Runs one pass of a schedule. Never rejects: errors are in the report. Work that ignores its signal is waited for briefly, and
 * stays in `underWay` until it ends.
 */
export async function runPass(schedule: Schedule, context: PassContext): Promise<PassReport> {
  const { clock, due, signal } = context;
  const started = clock.now();
  const counts = { processed: 0, failed: 0, transitions: 0, cleanups: 0 };
  let failure: { readonly error: unknown } | undefined;
  const what = `a pass of schedule ${JSON.stringify(schedule.name)}`;
  const work = (signal: AbortSignal): void | Promise<void> =>
    schedule.work.run === undefined
      ? overSet(schedule, { ...context, signal }, counts)
      : schedule.work.run(contextFor(schedule.name, { ...context, signal }, counts));
  const end = await cancellable(clock, signal, () =>
    within({ clock, limit: schedule.timeout, signal, patient: true, what }, (signal) =>
      follow(context.underWay, () => work(signal)),
    ),
  );
  // That the schedule was stopped is no failure.
  if (!end.ok && !signal.aborted) {
    failure = { error: end.error };
    context.onError(end.error);
  }
  return {
    name: schedule.name,
    due,
    started,
    duration: clock.now() - started,
    ...counts,
    ...failure,
    stopped: signal.aborted,
  };
}

/** Keeps sight of work until it ends, whoever waits for it. */
async function follow<T>(underWay: Set<Promise<unknown>>, work: () => T | Promise<T>): Promise<T> {
  const running = (async () => work())();
  underWay.add(running);
  try {
    return await running;
  } finally {
    underWay.delete(running);
  }
}

interface Counts {
  processed: number;
  failed: number;
  transitions: number;
  cleanups: number;
}

async function overSet(schedule: Schedule, context: PassContext, counts: Counts): Promise<void> {
  const { work } = schedule;
  if (work.over === undefined) return;
  const { each, where, itemTimeout } = work;
  const { clock, signal } = context;
  const tools = contextFor(schedule.name, context, counts);

  const one = async (item: unknown): Promise<void> => {
    try {
      if (where?.(item) === false) return;
      counts.processed++;
      const what = `an item of schedule ${JSON.stringify(schedule.name)}`;
      const outcome = await within({ clock, limit: itemTimeout, signal, patient: true, what }, (signal) => {
        // Only one with a time of its own can be left behind.
        if (itemTimeout === undefined) return each(item, tools);
        const itsTools = contextFor(schedule.name, { ...context, signal }, counts);
        return follow(context.underWay, () => each(item, itsTools));
      });
      if (outcome === "changed") tools.transitioned();
      if (outcome === "cleaned") tools.cleanedUp();
    } catch (error) {
      // A stopped item is done again next time; it has not failed.
      if (signal.aborted) return;
      counts.failed++;
      context.onError(error, item);
    }
  };

  const active = new Set<Promise<void>>();
  /** Begins an item, and waits until there is room for the next. */
  const begin = async (item: unknown): Promise<void> => {
    if (schedule.concurrency === 1) return one(item);
    const running = one(item).finally(() => active.delete(running));
    active.add(running);
    if (active.size >= schedule.concurrency) await Promise.race(active);
  };
  try {
    const items = await work.over(tools);
    if (Symbol.iterator in items) {
      for (const item of items) {
        signal.throwIfAborted();
        await begin(item);
      }
    } else {
      for await (const item of items) {
        signal.throwIfAborted();
        await begin(item);
      }
    }
  } finally {
    // Also when the query fails on the way: nothing of this pass may go on beside the next one.
    await Promise.all(active);
  }
  signal.throwIfAborted();
}

function contextFor(
  name: string,
  { clock, due, signal, client }: PassContext,
  counts: Counts,
): ScheduleContext {
  return {
    name,
    clock,
    due,
    signal,
    get client(): Client {
      if (client !== undefined) return client;
      throw new TypeError(
        `schedule ${JSON.stringify(name)} was started without a client: hand one to startSchedule(), or do without`,
      );
    },
    transitioned(count = 1) {
      counts.transitions += count;
    },
    cleanedUp(count = 1) {
      counts.cleanups += count;
    },
  };
}
