import { KeyIndex, none } from "./key-index.js";
import type { Lane } from "./level.js";

/** Which entry is meant. It stays the same until the entry is dropped. */
export type Slot = number;

/**
 * Where the entry of a key is:
 *
 * - `idle`: nothing is to be done; it is kept for the next time, as most keys come back;
 * - `fresh`: about to be put somewhere;
 * - `delayed`: in the heap of delays until it is due (a batch is a delay that may end early);
 * - `ready`: due, in a lane of the ready list;
 * - `parked`: due, but its key is paused;
 * - `running`: handed out. Reasons that arrive now are for the next time, and wait here until the work is done;
 * - `abandoned`: handed out, but its object went away meanwhile: what becomes of the work says nothing about a later
 *   object of that name.
 *
 * A key without an entry has nothing to do either; a dead key has none.
 */
export const State = {
  free: 0,
  idle: 1,
  fresh: 2,
  delayed: 3,
  ready: 4,
  parked: 5,
  running: 6,
  abandoned: 7,
} as const;

/**
 * A row is as long as a line of the processor's cache: four numbers of eight bytes (0 to 2 and 7 of the row as such
 * numbers), and up to eight of four bytes (6 to 13 of the row as those).
 */
const rowFloats = 8;
const rowIntegers = 16;
const dueAt = 0;
const sinceAt = 1;
const priorityAt = 2;
const stateAt = 6;
/** How many reasons there were to do it; those of several are {@link Gathered}. */
const countAt = 7;
const failuresAt = 8;
/** The neighbours in the line that it is in; of a free row, the next free one. */
const previousAt = 9;
const nextAt = 10;
/** The place in the heap that it is in, or -1. */
const placeAt = 11;
/** The order in which entries became ready, were delayed, or were handed out. */
const orderAt = 12;
/** When it was handed out: one more number of eight bytes, at the end of the row. */
const takenAt = 7;

const rowObjects = 2;
const reasonAt = 0;
const laneAt = 1;

const firstRows = 1024;
/** So many idle entries are kept in any case. */
const keptIdle = 4096;

/** Entries one after the other. They are their own links, so that any of them can leave; each is in one line at most. */
export interface Line {
  first: Slot;
  last: Slot;
}

/** Several reasons, or those that are left when there were too many. */
export class Gathered<Reason> {
  readonly list: Reason[];
  dropped = 0;

  constructor(list: Reason[]) {
    this.list = list;
  }
}

/** The reasons to do something: most work has one, which needs no list until somebody asks for it. */
export type Held<Reason> = Reason | Gathered<Reason>;

/** What is held as a list, be it of one. */
export function gather<Reason>(held: Held<Reason>): Gathered<Reason> {
  return held instanceof Gathered ? held : new Gathered([held]);
}

/**
 * What a queue knows of each key, as a table with a row per key. There may be a million of them, and what that costs is
 * waiting for memory: so the numbers of an entry are next to each other, and none of them is an object of its own.
 *
 * Rows are used again when the key comes back, as most do: a queue that is in balance allocates none, and finds the lane
 * of a key where it was the last time. As many as were ever live at once may be idle. When there are more, as where keys
 * never come back, all idle ones are dropped together, which costs less than one by one.
 *
 * Invariant: the count of an entry is 0 exactly when nothing is to be done after what runs now; then the rest is what is
 * known of that.
 * Times are {@link QueueTime}'s.
 *
 * What is private here is so for the compiler alone: the engine looks at every use of a `#name`, and compiles less of
 * what calls this into one piece, which together made up a third of what a key costs.
 */
export class Entries<Reason> {
  private floats = new Float64Array(firstRows * rowFloats);
  private integers = new Int32Array(this.floats.buffer);
  private names: (string | undefined)[] = [];
  /** What is an object, two to a row as well. */
  private objects: (Held<Reason> | Lane<Reason> | undefined)[] = [];
  private index = new KeyIndex(this.names);
  private free = none;
  private idle = 0;
  private live = 0;
  /** The most that were live at once since idle ones were last dropped. */
  private most = 0;

  /** The entry of a key, or {@link none}. */
  find(key: string): Slot {
    return this.index.find(key);
  }

  /** Makes an entry, idle, for a key that has none. */
  open(key: string): Slot {
    const slot = this.free === none ? this.lengthen() : this.free;
    if (slot === this.free) this.free = this.integers[slot * rowIntegers + nextAt] as number;
    this.names[slot] = key;
    this.index.add(key, slot);
    this.idle += 1;
    const { integers } = this;
    const at = slot * rowIntegers;
    integers[at + stateAt] = State.idle;
    integers[at + countAt] = 0;
    integers[at + failuresAt] = 0;
    integers[at + placeAt] = none;
    return slot;
  }

  /** Forgets a key that is not handed out and in no line. */
  drop(slot: Slot): void {
    if (this.state(slot) === State.idle) this.idle -= 1;
    else this.live -= 1;
    this.forget(slot);
    this.index.delete(this.key(slot));
    this.release(slot);
  }

  /** Something is to be done for an idle key. */
  rouse(slot: Slot): void {
    this.idle -= 1;
    this.live += 1;
    if (this.live > this.most) this.most = this.live;
    this.setState(slot, State.fresh);
  }

  /** Nothing is to be done any more, and nothing that happened before counts; the entry may be gone after this. */
  rest(slot: Slot): void {
    const { integers } = this;
    const at = slot * rowIntegers;
    integers[at + failuresAt] = 0;
    integers[at + stateAt] = State.idle;
    this.objects[slot * rowObjects + reasonAt] = undefined;
    this.live -= 1;
    this.idle += 1;
    if (this.idle > keptIdle && this.idle > this.most) this.tidyUp();
  }

  /** The slots of all keys, the idle ones included. */
  *[Symbol.iterator](): Generator<Slot, void> {
    for (let slot = 0; slot < this.names.length; slot++) if (this.state(slot) !== State.free) yield slot;
  }

  key(slot: Slot): string {
    return this.names[slot] as string;
  }

  state(slot: Slot): number {
    return this.integers[slot * rowIntegers + stateAt] as number;
  }

  setState(slot: Slot, state: (typeof State)[keyof typeof State]): void {
    this.integers[slot * rowIntegers + stateAt] = state;
  }

  /** Whether it has been handed out. */
  isOut(slot: Slot): boolean {
    return this.state(slot) >= State.running;
  }

  count(slot: Slot): number {
    return this.integers[slot * rowIntegers + countAt] as number;
  }

  due(slot: Slot): number {
    return this.floats[slot * rowFloats + dueAt] as number;
  }

  setDue(slot: Slot, due: number): void {
    this.floats[slot * rowFloats + dueAt] = due;
  }

  /** When the first of its reasons arrived. */
  since(slot: Slot): number {
    return this.floats[slot * rowFloats + sinceAt] as number;
  }

  priority(slot: Slot): number {
    return this.floats[slot * rowFloats + priorityAt] as number;
  }

  setPriority(slot: Slot, priority: number): void {
    this.floats[slot * rowFloats + priorityAt] = priority;
  }

  failures(slot: Slot): number {
    return this.integers[slot * rowIntegers + failuresAt] as number;
  }

  setFailures(slot: Slot, failures: number): void {
    this.integers[slot * rowIntegers + failuresAt] = failures;
  }

  /** The place in the heap that it is in, or none. */
  place(slot: Slot): number {
    return this.integers[slot * rowIntegers + placeAt] as number;
  }

  setPlace(slot: Slot, place: number): void {
    this.integers[slot * rowIntegers + placeAt] = place;
  }

  setOrder(slot: Slot, order: number): void {
    this.integers[slot * rowIntegers + orderAt] = order;
  }

  /** Whether one came before another. Numbers begin anew after four billion; what is compared is never that far apart. */
  isBefore(slot: Slot, other: Slot): boolean {
    const { integers } = this;
    const mine = integers[slot * rowIntegers + orderAt] as number;
    const theirs = integers[other * rowIntegers + orderAt] as number;
    return ((mine - theirs) | 0) < 0;
  }

  /** The lane that it is in while it is ready, or was in the last time. */
  lane(slot: Slot): Lane<Reason> | undefined {
    return this.objects[slot * rowObjects + laneAt] as Lane<Reason> | undefined;
  }

  setLane(slot: Slot, lane: Lane<Reason>): void {
    this.objects[slot * rowObjects + laneAt] = lane;
  }

  /** What was to be done has become work that runs; from here on reasons are for the next time. */
  start(slot: Slot, order: number, now: number): void {
    const { integers } = this;
    const at = slot * rowIntegers;
    integers[at + orderAt] = order;
    integers[at + stateAt] = State.running;
    integers[at + countAt] = 0;
    this.floats[slot * rowFloats + takenAt] = now;
  }

  /** Whether it is out, and is what was handed out in that order. */
  isOutAs(slot: Slot, order: number): boolean {
    return this.isOut(slot) && this.integers[slot * rowIntegers + orderAt] === order;
  }

  /** When it was handed out. */
  taken(slot: Slot): number {
    return this.floats[slot * rowFloats + takenAt] as number;
  }

  /** Puts an entry at the end of a line. */
  append(line: Line, slot: Slot): void {
    const { integers } = this;
    const { last } = line;
    const at = slot * rowIntegers;
    integers[at + previousAt] = last;
    integers[at + nextAt] = none;
    if (last === none) line.first = slot;
    else integers[last * rowIntegers + nextAt] = slot;
    line.last = slot;
  }

  /** Takes the first out of a line. */
  shift(line: Line): void {
    const { integers } = this;
    const second = integers[line.first * rowIntegers + nextAt] as number;
    line.first = second;
    if (second === none) line.last = none;
    else integers[second * rowIntegers + previousAt] = none;
  }

  /** Takes an entry out of a line, wherever in it it is. */
  leave(line: Line, slot: Slot): void {
    const { integers } = this;
    const previous = integers[slot * rowIntegers + previousAt] as number;
    const next = integers[slot * rowIntegers + nextAt] as number;
    if (previous === none) line.first = next;
    else integers[previous * rowIntegers + nextAt] = next;
    if (next === none) line.last = previous;
    else integers[next * rowIntegers + previousAt] = previous;
  }

  /** Notes the first reason, and what follows from it. */
  begin(slot: Slot, reason: Reason, priority: number, due: number, now: number): void {
    const { floats } = this;
    const at = slot * rowFloats;
    floats[at + dueAt] = due;
    floats[at + sinceAt] = now;
    floats[at + priorityAt] = priority;
    this.integers[slot * rowIntegers + countAt] = 1;
    this.objects[slot * rowObjects + reasonAt] = reason;
  }

  /** Notes one more reason; beyond `max` the oldest goes. */
  collect(slot: Slot, reason: Reason, max: number): void {
    const before = this.objects[slot * rowObjects + reasonAt];
    const count = this.count(slot);
    const gathered = count > 1 ? (before as Gathered<Reason>) : new Gathered([before as Reason]);
    gathered.list.push(reason);
    if (gathered.list.length > max) {
      gathered.list.shift();
      gathered.dropped += 1;
    }
    this.objects[slot * rowObjects + reasonAt] = gathered;
    this.integers[slot * rowIntegers + countAt] = count + 1;
  }

  /** The reasons so far; of what runs and is not to be done again, those for which it runs. Undefined when they are forgotten. */
  held(slot: Slot): Held<Reason> | undefined {
    return this.objects[slot * rowObjects + reasonAt] as Held<Reason> | undefined;
  }

  /** What was to be done is not to be done any more. */
  forget(slot: Slot): void {
    this.integers[slot * rowIntegers + countAt] = 0;
    this.objects[slot * rowObjects + reasonAt] = undefined;
  }

  /** Lets go of idle entries, if they are nearly all there are: then each row is looked at for one that was used. */
  private tidyUp(): void {
    if (this.idle * 16 < this.names.length * 15) return;
    this.index = new KeyIndex(this.names);
    for (const slot of this) {
      if (this.state(slot) === State.idle) this.release(slot);
      else this.index.add(this.key(slot), slot);
    }
    this.idle = 0;
    this.most = this.live;
  }

  private release(slot: Slot): void {
    this.names[slot] = undefined;
    this.objects[slot * rowObjects + laneAt] = undefined;
    this.setState(slot, State.free);
    this.integers[slot * rowIntegers + nextAt] = this.free;
    this.free = slot;
  }

  /** Makes one row more. */
  private lengthen(): Slot {
    const slot = this.names.push(undefined) - 1;
    this.objects.push(undefined, undefined);
    if (slot * rowFloats === this.floats.length) {
      const before = this.floats;
      this.floats = new Float64Array(before.length * 2);
      this.floats.set(before);
      this.integers = new Int32Array(this.floats.buffer);
    }
    return slot;
  }
}
