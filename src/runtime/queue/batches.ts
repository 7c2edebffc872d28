import type { Entry } from "./entry.js";
import type { Strategy } from "./strategy.js";

/** Entries that wait for each other. */
export interface Batch<Reason> {
  readonly id: string;
  /** When they stop waiting. */
  readonly deadline: number;
  /** In the order in which they joined. */
  readonly members: Set<Entry<Reason>>;
}

/**
 * The batches that are being filled, one per strategy.
 *
 * Invariant: `entry.batch` is the batch whose members include the entry, and only batches with members are kept.
 */
export class Batches<Reason> {
  readonly #filling = new Map<string, Batch<Reason>>();

  /** Puts an entry into the batch of its strategy. */
  join(entry: Entry<Reason>, strategy: Strategy & { type: "batched" }, now: number): Batch<Reason> {
    let batch = this.#filling.get(strategy.id);
    // All of its members run, else it would have been let go: they are due by its deadline, and need no batch.
    if (batch && batch.deadline <= now) {
      this.letGo(batch);
      batch = undefined;
    }
    if (!batch) {
      batch = { id: strategy.id, deadline: now + strategy.timeout, members: new Set() };
      this.#filling.set(strategy.id, batch);
    }
    if (entry.batch !== batch) this.leave(entry);
    batch.members.add(entry);
    entry.batch = batch;
    return batch;
  }

  leave(entry: Entry<Reason>): void {
    const { batch } = entry;
    if (!batch) return;
    entry.batch = undefined;
    batch.members.delete(entry);
    if (batch.members.size === 0) this.#filling.delete(batch.id);
  }

  /** Empties a batch, so that the next one can be filled. */
  letGo(batch: Batch<Reason>): readonly Entry<Reason>[] {
    this.#filling.delete(batch.id);
    const members = [...batch.members];
    for (const member of members) member.batch = undefined;
    batch.members.clear();
    return members;
  }
}
