import type { QueueEntry } from "./entry.js";
import { SortedTree } from "./sorted-tree.js";

/** Waiting entries of one priority and one fairness key, by their order: a linked list, so that any of them can be removed. */
export class Lane<Reason> {
  readonly fairnessKey: string;
  #first: QueueEntry<Reason> | undefined;
  #last: QueueEntry<Reason> | undefined;
  /** Entries that were raised to this priority, and so may be older than others that are here already. */
  #raised: SortedTree<number, QueueEntry<Reason>> | undefined;

  constructor(fairnessKey: string) {
    this.fairnessKey = fairnessKey;
  }

  get isEmpty(): boolean {
    return this.#first === undefined && (this.#raised === undefined || this.#raised.isEmpty);
  }

  /** Adds an entry that is newer than all others. */
  append(entry: QueueEntry<Reason>): void {
    entry.lane = this;
    entry.before = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
  }

  /** Adds an entry at the position of its order. */
  insert(entry: QueueEntry<Reason>): void {
    entry.lane = this;
    this.#raised ??= new SortedTree<number, QueueEntry<Reason>>(undefined, (a, b) => a - b);
    this.#raised.set(entry.order, entry);
  }

  remove(entry: QueueEntry<Reason>): void {
    entry.lane = undefined;
    if (this.#raised?.delete(entry.order)) return;
    const { before, after } = entry;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    entry.before = undefined;
    entry.after = undefined;
  }

  /** Removes and returns the oldest entry. */
  take(): QueueEntry<Reason> | undefined {
    const order = this.#raised?.minKey() ?? Infinity;
    const first = this.#first;
    const entry = first !== undefined && first.order < order ? first : this.#raised?.get(order);
    if (entry !== undefined) this.remove(entry);
    return entry;
  }
}
