import type { QueueEntry } from "./entry.js";
import { always, firstOpening, type Opening } from "./windows.js";

/** Strategy that holds keys back, and until when. */
export type StrategyHold =
  | {
      readonly type: "batched";
      readonly name?: string | undefined;
      /** Keys in the batch, which is released when there are `size` of them. */
      readonly keys: number;
      readonly size: number;
      /** Time at which the batch is released in any case. */
      readonly until: number;
    }
  | {
      readonly type: "scheduled";
      readonly name?: string | undefined;
      readonly keys: number;
      /** Time at which the window opens; Infinity for never. */
      readonly until: number;
      /** Time at which it closes again. */
      readonly closes?: number | undefined;
      readonly timeZone?: string | undefined;
    };

/** The strategy that holds an entry back at a time; undefined if none does. */
export function strategyHold(
  { batch, openings, state, due }: Pick<QueueEntry<unknown>, "batch" | "openings" | "state" | "due">,
  now: number,
): StrategyHold | undefined {
  if (state !== "delayed" && state !== "dirty") return undefined;
  if (batch !== undefined) {
    const { name, size, deadline, members } = batch;
    return {
      type: "batched",
      ...(name !== undefined && { name }),
      keys: members.size,
      size,
      until: deadline,
    };
  }
  const first = openings === undefined ? undefined : nextToOpen(openings, due, now);
  if (first === undefined) return undefined;
  const { name, timeZone } = first;
  const closes = Number.isFinite(due) ? attempt(() => first.closes?.(due)) : undefined;
  return {
    type: "scheduled",
    ...(name !== undefined && { name }),
    keys: 1,
    until: due,
    ...(closes !== undefined && { closes }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

/** Counts keys by the strategy that holds them. */
export function strategyHolds(
  entries: Iterable<Pick<QueueEntry<unknown>, "batch" | "openings" | "state" | "due" | "next">>,
  now: number,
): readonly StrategyHold[] {
  const holds = new Map<unknown, StrategyHold>();
  for (const entry of entries) {
    const hold = strategyHold(entry.next ?? entry, now);
    if (hold === undefined) continue;
    const group = hold.type === "batched" ? (entry.next ?? entry).batch : `${hold.name ?? ""} ${hold.until}`;
    const known = holds.get(group);
    if (known === undefined) holds.set(group, hold);
    else if (hold.type === "scheduled") holds.set(group, { ...known, keys: known.keys + 1 });
  }
  return [...holds.values()].sort((a, b) => a.until - b.until);
}

/** The window that an entry waits for; undefined if it waits for a time only. */
function nextToOpen(openings: readonly Opening[], due: number, now: number): Opening["window"] | undefined {
  const waitsFor = openings.find((opening) => Math.ceil(firstOpening([opening], now)) === due);
  if (waitsFor === undefined || waitsFor.window === always) return undefined;
  const { window } = waitsFor;
  return attempt(() => window.isOpen(now)) === true ? undefined : window;
}

/** Result of a function of a window; undefined if it throws. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
