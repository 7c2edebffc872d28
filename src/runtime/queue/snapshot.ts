import type { Entry } from "./entry.js";
import type { QueueTime } from "./queue-time.js";
import type { DeadLetter, Work } from "./work.js";

/**
 * - `ready`: waits for a worker; `delayed`: waits for its time; `batched`: waits for others of its batch, or its time
 * - `running`: handed out; `dirty`: handed out, and to be done again after that
 * - `paused`: held back until it is resumed; `dead`: given up
 */
type KeyState = "ready" | "delayed" | "batched" | "running" | "dirty" | "paused" | "dead";

/** What a queue knows about one key. */
export interface KeySnapshot<Reason> {
  readonly key: string;
  readonly state: KeyState;
  readonly priority: number;
  readonly failures: number;
  /** Why it runs, waits (if it is dirty: for the next time) or died. */
  readonly reasons: readonly Reason[];
  /** When it is or was due, Infinity for never; for a dead key when it was given up. */
  readonly due: number;
}

/** Every key of a queue: those with something to do, then those that are merely paused, then the dead. */
export function snapshotOf<Reason>(
  entries: ReadonlyMap<string, Entry<Reason>>,
  running: Iterable<Work<Reason>>,
  time: QueueTime,
  paused: ReadonlySet<string>,
  dead: ReadonlyMap<string, DeadLetter<Reason>>,
): readonly KeySnapshot<Reason>[] {
  const keys: KeySnapshot<Reason>[] = [];
  const works = new Map([...running].map((work) => [work.key, work]));
  for (const entry of entries.values()) {
    if (entry.state === "idle") continue;
    const { key, failures } = entry;
    const { priority, reasons, due } =
      (entry.count === 0 ? works.get(key) : undefined) ?? entryOnWall(entry, time);
    keys.push({ key, state: stateOf(entry, paused), priority, failures, reasons: [...reasons], due });
  }
  for (const key of paused) {
    if ((entries.get(key)?.state ?? "idle") !== "idle" || dead.has(key)) continue;
    keys.push({ key, state: "paused", priority: 0, failures: 0, reasons: [], due: Infinity });
  }
  for (const { key, reasons, failures, at } of dead.values()) {
    keys.push({ key, state: "dead", priority: 0, failures, reasons, due: at });
  }
  return keys;
}

function entryOnWall<Reason>({ priority, reasons, due }: Entry<Reason>, time: QueueTime) {
  return { priority, reasons, due: time.onWall(due) };
}

function stateOf<Reason>(entry: Entry<Reason>, paused: ReadonlySet<string>): KeyState {
  if (entry.isOut) return entry.count > 0 ? "dirty" : "running";
  if (paused.has(entry.key)) return "paused";
  if (entry.state === "ready") return "ready";
  return entry.batch ? "batched" : "delayed";
}
