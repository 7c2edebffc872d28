import type { Entries, Line, Slot } from "./entries.js";
import { Epochs } from "./epochs.js";
import { Heap } from "./heap.js";
import { none } from "./key-index.js";

/** Lanes without work are kept for their group's next work, up to this many more than those with work. */
const spareLanes = 256;

/** The ready entries of one group at one priority, in the order in which they became ready. */
export class Lane<Reason> implements Line {
  readonly level: Level<Reason>;
  first: Slot = none;
  last: Slot = none;
  /** Whether its level still knows it. */
  kept = true;
  /** How many there are, raised ones included. */
  size = 0;
  /** Entries that became ready before others of the lane, but joined it later, when their priority was raised. */
  raised: Heap<Slot> | undefined = undefined;
  // The round of lanes, while it is in it.
  previous: Lane<Reason> = this;
  next: Lane<Reason> = this;

  constructor(level: Level<Reason>) {
    this.level = level;
  }
}

/**
 * The ready entries of one priority. Lanes take turns: the one at the front gives an entry, and then the next is at the front.
 *
 * Invariant: a lane is in the round exactly while it has entries.
 */
export class Level<Reason> {
  readonly priority: number;
  /** Places in the two heaps of levels; -1 without work. */
  slotByPriority = -1;
  slotByAge = -1;
  /** The epoch in which the oldest entry became due, less the priority: the lowest has waited for it the longest. */
  age = Infinity;
  readonly #entries: Entries<Reason>;
  readonly #ageing: number;
  readonly #epochs = new Epochs();
  readonly #lanes = new Map<string, Lane<Reason>>();
  /** A time, and the epoch that it is in. */
  #due = NaN;
  #epoch = 0;
  #used = 0;
  #front: Lane<Reason> | undefined;

  constructor(priority: number, entries: Entries<Reason>, ageing: number) {
    this.priority = priority;
    this.#entries = entries;
    this.#ageing = ageing;
  }

  get empty(): boolean {
    return this.#front === undefined;
  }

  /** Looks at its age anew, and tells whether it has changed. */
  noteAge(): boolean {
    const before = this.age;
    this.age = this.#epochs.oldest - this.priority;
    return this.age !== before;
  }

  /** The lane of a group. */
  lane(group: string): Lane<Reason> {
    let lane = this.#lanes.get(group);
    if (lane === undefined) {
      lane = new Lane(this);
      this.#lanes.set(group, lane);
    }
    return lane;
  }

  /** Puts an entry at the end of a lane. */
  append(lane: Lane<Reason>, slot: Slot): void {
    this.#join(lane, slot);
    this.#entries.append(lane, slot);
  }

  /** Puts an entry into a lane by when it became ready. */
  insert(lane: Lane<Reason>, slot: Slot): void {
    this.#join(lane, slot);
    lane.raised ??= new Heap(
      (a, b) => this.#entries.isBefore(a, b),
      (raised, place) => this.#entries.setPlace(raised, place),
    );
    lane.raised.add(slot);
  }

  /** Takes out the entry whose turn it is; the next turn is another lane's. */
  take(): Slot {
    const lane = this.#front;
    if (lane === undefined) return none;
    this.#front = lane.next;
    let slot = lane.first;
    if (lane.raised === undefined) this.#entries.shift(lane);
    else slot = this.#shiftRaised(lane, lane.raised);
    this.#left(lane, slot);
    return slot;
  }

  /** Takes an entry out, wherever in its lane it is. */
  remove(lane: Lane<Reason>, slot: Slot): void {
    const place = this.#entries.place(slot);
    if (place === none) this.#entries.leave(lane, slot);
    else lane.raised?.remove(place);
    this.#left(lane, slot);
  }

  /** Forgets its lanes, which are all without work. */
  close(): void {
    for (const lane of this.#lanes.values()) lane.kept = false;
    this.#lanes.clear();
  }

  #join(lane: Lane<Reason>, slot: Slot): void {
    if (lane.size === 0) this.#enterRound(lane);
    lane.size += 1;
    this.#epochs.add(this.#epochOf(slot));
  }

  #left(lane: Lane<Reason>, slot: Slot): void {
    this.#epochs.remove(this.#epochOf(slot));
    lane.size -= 1;
    if (lane.size === 0) this.#leaveRound(lane);
  }

  #shiftRaised(lane: Lane<Reason>, raised: Heap<Slot>): Slot {
    const { first } = lane;
    const slot = raised.first;
    if (slot === undefined || (first !== none && this.#entries.isBefore(first, slot))) {
      this.#entries.shift(lane);
      return first;
    }
    raised.remove(0);
    return slot;
  }

  /** Mostly what comes and goes was due in the same millisecond as what came or went before. */
  #epochOf(slot: Slot): number {
    const due = this.#entries.due(slot);
    if (due !== this.#due) {
      this.#due = due;
      this.#epoch = Math.floor(due / this.#ageing);
    }
    return this.#epoch;
  }

  #enterRound(lane: Lane<Reason>): void {
    const front = (this.#front ??= lane);
    lane.next = front;
    lane.previous = front.previous;
    front.previous.next = lane;
    front.previous = lane;
    this.#used += 1;
  }

  #leaveRound(lane: Lane<Reason>): void {
    if (this.#front === lane) this.#front = lane.next === lane ? undefined : lane.next;
    lane.previous.next = lane.next;
    lane.next.previous = lane.previous;
    lane.previous = lane;
    lane.next = lane;
    this.#used -= 1;
    // Half of the lanes or more are spare by then, so that each is looked at twice at most.
    if (this.#lanes.size <= 2 * this.#used + spareLanes) return;
    for (const [group, spare] of this.#lanes) {
      if (spare.size > 0) continue;
      this.#lanes.delete(group);
      spare.kept = false;
    }
  }
}
