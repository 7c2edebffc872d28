import type { Slot } from "./entries.js";
import type { Strategy } from "./strategy.js";

/** Entries that wait for each other. */
export interface Batch {
  readonly id: string;
  /** When they stop waiting. */
  readonly deadline: number;
  /** In the order in which they joined. */
  readonly members: Set<Slot>;
}

/**
 * The batches that are being filled, one per strategy.
 *
 * Invariant: an entry is in one batch at most, and only batches with members are kept.
 */
export class Batches {
  readonly #filling = new Map<string, Batch>();
  readonly #batchOf = new Map<Slot, Batch>();

  of(slot: Slot): Batch | undefined {
    return this.#batchOf.size === 0 ? undefined : this.#batchOf.get(slot);
  }

  /** Puts an entry into the batch of its strategy. */
  join(slot: Slot, strategy: Strategy & { type: "batched" }, now: number): Batch {
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
    if (this.of(slot) !== batch) this.leave(slot);
    batch.members.add(slot);
    this.#batchOf.set(slot, batch);
    return batch;
  }

  leave(slot: Slot): void {
    const batch = this.of(slot);
    if (!batch) return;
    this.#batchOf.delete(slot);
    batch.members.delete(slot);
    if (batch.members.size === 0) this.#filling.delete(batch.id);
  }

  /** Empties a batch, so that the next one can be filled. */
  letGo(batch: Batch): readonly Slot[] {
    this.#filling.delete(batch.id);
    const members = [...batch.members];
    for (const member of members) this.#batchOf.delete(member);
    batch.members.clear();
    return members;
  }
}
