import type { Entry } from "./entry.js";
import { EntryList } from "./entry-list.js";
import { Epochs } from "./epochs.js";
import { Heap } from "./heap.js";

/** Lanes without work are kept for their group's next work, up to this many more than those with work. */
const spareLanes = 256;

/** The ready entries of one group at one priority, in the order in which they became ready. */
export interface Lane<Reason> {
  readonly level: Level<Reason>;
  /** Whether its level still knows it. */
  kept: boolean;
  /** How many there are, raised ones included. */
  size: number;
  readonly line: EntryList<Reason>;
  /** Entries that became ready before others of the lane, but joined it later, when their priority was raised. */
  raised: Heap<Entry<Reason>> | undefined;
  // The round of lanes; both undefined for a lane without work, and for one that is alone.
  previous: Lane<Reason> | undefined;
  next: Lane<Reason> | undefined;
}

/**
 * The ready entries of one priority. Lanes take turns: the one at the front gives an entry and goes to the back.
 *
 * Invariant: a lane is in the round exactly while it has entries.
 */
export class Level<Reason> {
  readonly priority: number;
  /** Places in the two heaps of levels; -1 without work. */
  slotByPriority = -1;
  slotByAge = -1;
  /** Whether the ready list still knows it. */
  kept = true;
  readonly #groupOf: (key: string) => string;
  readonly #epochs = new Epochs();
  readonly #lanes = new Map<string, Lane<Reason>>();
  #used = 0;
  #front: Lane<Reason> | undefined;
  #back: Lane<Reason> | undefined;

  constructor(priority: number, groupOf: (key: string) => string) {
    this.priority = priority;
    this.#groupOf = groupOf;
  }

  get empty(): boolean {
    return this.#front === undefined;
  }

  /** The epoch in which the oldest entry became due, less the priority: the lowest has waited for it the longest. */
  get age(): number {
    return this.#epochs.oldest - this.priority;
  }

  /** Puts an entry at the end of its group's lane. */
  append(entry: Entry<Reason>, epoch: number): void {
    this.#join(entry, epoch).line.append(entry);
  }

  /** Puts an entry into its group's lane by when it became ready. */
  insert(entry: Entry<Reason>, epoch: number): void {
    const lane = this.#join(entry, epoch);
    lane.raised ??= new Heap(
      (a, b) => a.order < b.order,
      (raised, slot) => (raised.slot = slot),
    );
    lane.raised.add(entry);
  }

  /** The entry whose turn it is; the next turn is another lane's. */
  next(): Entry<Reason> | undefined {
    const lane = this.#front;
    if (!lane) return undefined;
    if (lane.size > 1 && lane !== this.#back) {
      this.#unlink(lane);
      this.#link(lane);
    }
    const raised = lane.raised?.first;
    const { first } = lane.line;
    return raised && !(first && first.order < raised.order) ? raised : first;
  }

  /** Takes an entry out, wherever in its lane it is. */
  remove(entry: Entry<Reason>, epoch: number): void {
    const { lane } = entry;
    if (lane?.level !== this) throw new Error(`${entry.key} is not at priority ${this.priority}`);
    if (entry.slot >= 0) lane.raised?.remove(entry.slot);
    else lane.line.remove(entry);
    this.#epochs.remove(epoch);
    lane.size -= 1;
    if (lane.size === 0) this.#leave(lane);
  }

  #join(entry: Entry<Reason>, epoch: number): Lane<Reason> {
    const lane = this.#laneOf(entry);
    if (lane.size === 0) {
      this.#link(lane);
      this.#used += 1;
    }
    lane.size += 1;
    entry.lane = lane;
    this.#epochs.add(epoch);
    return lane;
  }

  #laneOf({ key, lane }: Entry<Reason>): Lane<Reason> {
    if (lane !== undefined && lane.level === this && lane.kept) return lane;
    const group = this.#groupOf(key);
    return this.#lanes.get(group) ?? this.#open(group);
  }

  #open(group: string): Lane<Reason> {
    const lane: Lane<Reason> = {
      level: this,
      kept: true,
      size: 0,
      line: new EntryList(),
      raised: undefined,
      previous: undefined,
      next: undefined,
    };
    this.#lanes.set(group, lane);
    return lane;
  }

  #leave(lane: Lane<Reason>): void {
    this.#unlink(lane);
    this.#used -= 1;
    // Half of the lanes or more are spare by then, so that each is looked at twice at most.
    if (this.#lanes.size <= 2 * this.#used + spareLanes) return;
    for (const [group, spare] of this.#lanes) {
      if (spare.size > 0) continue;
      this.#lanes.delete(group);
      spare.kept = false;
    }
  }

  #link(lane: Lane<Reason>): void {
    lane.previous = this.#back;
    if (this.#back) this.#back.next = lane;
    else this.#front = lane;
    this.#back = lane;
  }

  #unlink(lane: Lane<Reason>): void {
    if (lane.previous) lane.previous.next = lane.next;
    else this.#front = lane.next;
    if (lane.next) lane.next.previous = lane.previous;
    else this.#back = lane.previous;
    lane.previous = undefined;
    lane.next = undefined;
  }
}
