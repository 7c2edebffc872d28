import type { QueueEntry } from "./entry.js";
import { strategyHold, type StrategyHold } from "./strategy-hold.js";
import type { DeadLetter } from "./queue-item.js";

/** State of a key as people see it: see {@link QueueEntry}. `batched` is a delay in a batch; `paused` a key paused by name that does not run. */
type KeyState = "waiting" | "delayed" | "batched" | "running" | "dirty" | "paused" | "dead";

/** State of one key of a queue. */
export interface KeySnapshot<Reason> {
  readonly key: string;
  readonly state: KeyState;
  readonly priority: number;
  readonly failures: number;
  /** Reasons of the run that waits or runs (of a dirty key: the next one), or for which the key is dead. */
  readonly reasons: readonly Reason[];
  /** Time at which it is or was due, Infinity for never; of a dead key, the time of its last failure. */
  readonly due: number;
  /** Strategy that holds it back now. */
  readonly hold?: StrategyHold | undefined;
}

/** All keys of a queue that are not idle: those with an entry, those that are only paused, the dead. */
export function snapshotQueue<Reason>(
  entries: ReadonlyMap<string, QueueEntry<Reason>>,
  paused: ReadonlySet<string>,
  dead: ReadonlyMap<string, DeadLetter<Reason>>,
  now: number,
): readonly KeySnapshot<Reason>[] {
  const keys: KeySnapshot<Reason>[] = [];
  for (const entry of entries.values()) keys.push(entrySnapshot(entry, paused, now));
  for (const key of paused) if (!entries.has(key) && !dead.has(key)) keys.push(pausedSnapshot(key));
  for (const letter of dead.values()) keys.push(deadSnapshot(letter));
  return keys;
}

/** One key of a queue; undefined if it is idle. */
export function snapshotKey<Reason>(
  key: string,
  entries: ReadonlyMap<string, QueueEntry<Reason>>,
  paused: ReadonlySet<string>,
  dead: ReadonlyMap<string, DeadLetter<Reason>>,
  now: number,
): KeySnapshot<Reason> | undefined {
  const entry = entries.get(key);
  if (entry !== undefined) return entrySnapshot(entry, paused, now);
  const letter = dead.get(key);
  if (letter !== undefined) return deadSnapshot(letter);
  return paused.has(key) ? pausedSnapshot(key) : undefined;
}

function entrySnapshot<Reason>(
  entry: QueueEntry<Reason>,
  paused: ReadonlySet<string>,
  now: number,
): KeySnapshot<Reason> {
  const { key, failures, removed } = entry;
  const { priority, due, reasons } = entry.next ?? entry;
  const shown = removed && entry.next === undefined ? [] : [...reasons];
  const hold = strategyHold(entry.next ?? entry, now);
  const state = stateOf(entry, paused);
  return { key, state, priority, failures, reasons: shown, due, ...(hold && { hold }) };
}

function pausedSnapshot<Reason>(key: string): KeySnapshot<Reason> {
  return { key, state: "paused", priority: 0, failures: 0, reasons: [], due: Infinity };
}

function deadSnapshot<Reason>({ key, reasons, failures, at }: DeadLetter<Reason>): KeySnapshot<Reason> {
  return { key, state: "dead", priority: 0, failures, reasons, due: at };
}

function stateOf(entry: QueueEntry<unknown>, paused: ReadonlySet<string>): KeyState {
  if (entry.state === "running") return entry.next === undefined ? "running" : "dirty";
  if (paused.has(entry.key)) return "paused";
  if (entry.state === "waiting") return "waiting";
  return entry.batch === undefined ? "delayed" : "batched";
}
