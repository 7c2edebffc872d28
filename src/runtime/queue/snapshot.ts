import type { Agenda } from "./agenda.js";
import { type Entries, gather, type Slot, State } from "./entries.js";
import { none } from "./key-index.js";
import type { QueueTime } from "./queue-time.js";
import type { DeadLetter } from "./queue-item.js";

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
  entries: Entries<Reason>,
  agenda: Agenda<Reason>,
  time: QueueTime,
  dead: ReadonlyMap<string, DeadLetter<Reason>>,
): readonly KeySnapshot<Reason>[] {
  const keys: KeySnapshot<Reason>[] = [];
  for (const slot of entries) {
    if (entries.state(slot) === State.idle) continue;
    const key = entries.key(slot);
    const held = entries.held(slot);
    keys.push({
      key,
      state: stateOf(entries, slot, agenda),
      priority: entries.priority(slot),
      failures: entries.failures(slot),
      reasons: held === undefined ? [] : [...gather(held).list],
      due: time.onWall(entries.due(slot)),
    });
  }
  for (const key of agenda.paused) {
    const slot = entries.find(key);
    if ((slot !== none && entries.state(slot) !== State.idle) || dead.has(key)) continue;
    keys.push({ key, state: "paused", priority: 0, failures: 0, reasons: [], due: Infinity });
  }
  for (const { key, reasons, failures, at } of dead.values()) {
    keys.push({ key, state: "dead", priority: 0, failures, reasons, due: at });
  }
  return keys;
}

function stateOf<Reason>(entries: Entries<Reason>, slot: Slot, agenda: Agenda<Reason>): KeyState {
  if (entries.isOut(slot)) return entries.count(slot) > 0 ? "dirty" : "running";
  if (agenda.paused.has(entries.key(slot))) return "paused";
  if (entries.state(slot) === State.ready) return "ready";
  return agenda.isBatched(slot) ? "batched" : "delayed";
}
