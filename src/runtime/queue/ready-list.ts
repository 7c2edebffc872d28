import type { Entries, Slot } from "./entries.js";
import { Heap } from "./heap.js";
import { none } from "./key-index.js";
import { type Lane, Level } from "./level.js";

/** Levels without work are kept for the next work of their priority, up to this many levels. */
const keptLevels = 64;

/**
 * Entries that are due, in the order in which they are handed out:
 *
 * 1. Higher priorities go first, and waiting for `ageing` is worth one step of priority. So a lower level whose
 *    oldest entry has waited long enough overtakes. As long as the highest level has work it keeps every other
 *    turn, so that a backlog which has come of age cannot shut out what is urgent now.
 * 2. At a level, groups take turns. However much one of them has, another one's entry waits for one entry of each.
 * 3. In a group, first come, first served. Raising the priority of an entry keeps its age.
 *
 * Ages are compared in epochs, which are `ageing` long: an entry that became due in epoch e with priority p
 * has, in epoch n, the effective priority p + n - e. As n is the same for all, the order by e - p never changes
 * by waiting, and nothing has to be moved when time passes.
 *
 * Everything is O(log n) in the number of distinct priorities, and O(1) in the number of entries and groups,
 * except that a raised entry costs O(log n) in those of its lane, and the first and last of an epoch in the epochs.
 */
export class ReadyList<Reason> {
  readonly #entries: Entries<Reason>;
  readonly #ageing: number;
  readonly #groupOf: (key: string) => string;
  readonly #levels = new Map<number, Level<Reason>>();
  readonly #byPriority = new Heap<Level<Reason>>(
    (a, b) => a.priority > b.priority,
    (level, slot) => (level.slotByPriority = slot),
  );
  readonly #byAge = new Heap<Level<Reason>>(
    (a, b) => (a.age === b.age ? a.priority > b.priority : a.age < b.age),
    (level, slot) => (level.slotByAge = slot),
  );
  #order = 0;
  #size = 0;
  /** Whether the last turn was one that a lower level had because of its age. */
  #overtaken = false;

  constructor(
    entries: Entries<Reason>,
    options: { readonly ageing: number; readonly fairnessKey: (key: string) => string },
  ) {
    this.#entries = entries;
    this.#ageing = options.ageing;
    this.#groupOf = options.fairnessKey;
  }

  get size(): number {
    return this.#size;
  }

  add(slot: Slot): void {
    this.#entries.setOrder(slot, this.#order++);
    const lane = this.#laneOf(slot);
    const { level } = lane;
    level.append(lane, slot);
    this.#size += 1;
    if (level.slotByAge < 0 || this.#byAge.size > 1) this.#changed(level);
  }

  remove(slot: Slot): void {
    const lane = this.#entries.lane(slot);
    if (!lane) throw new Error(`${this.#entries.key(slot)} is not ready`);
    lane.level.remove(lane, slot);
    this.#left(lane.level);
  }

  /** Gives an entry a higher priority. */
  raise(slot: Slot, priority: number): void {
    this.remove(slot);
    this.#entries.setPriority(slot, priority);
    const lane = this.#laneOf(slot);
    lane.level.insert(lane, slot);
    this.#size += 1;
    this.#changed(lane.level);
  }

  /** Takes out the entry whose turn it is; none when there is none. */
  take(): Slot {
    const level = this.#byAge.size > 1 ? this.#choose() : this.#only();
    if (level === undefined) return none;
    const slot = level.take();
    this.#left(level);
    return slot;
  }

  #only(): Level<Reason> | undefined {
    this.#overtaken = false;
    return this.#byAge.first;
  }

  /** The level whose turn it is, of several. */
  #choose(): Level<Reason> | undefined {
    const highest = this.#byPriority.first;
    const eldest = this.#byAge.first;
    this.#overtaken = eldest !== highest && !this.#overtaken;
    return this.#overtaken ? eldest : highest;
  }

  /** Mostly an entry is in the lane where it was the last time. */
  #laneOf(slot: Slot): Lane<Reason> {
    const last = this.#entries.lane(slot);
    const isSame = last !== undefined && last.kept && last.level.priority === this.#entries.priority(slot);
    return isSame ? last : this.#findLane(slot);
  }

  #findLane(slot: Slot): Lane<Reason> {
    const priority = this.#entries.priority(slot);
    let level = this.#levels.get(priority);
    if (!level) {
      level = new Level(priority, this.#entries, this.#ageing);
      this.#levels.set(priority, level);
    }
    const lane = level.lane(this.#groupOf(this.#entries.key(slot)));
    this.#entries.setLane(slot, lane);
    return lane;
  }

  #left(level: Level<Reason>): void {
    this.#size -= 1;
    if (level.empty) this.#close(level);
    else if (this.#byAge.size > 1) this.#changed(level);
  }

  /** A level has work, and perhaps another age than it had. */
  #changed(level: Level<Reason>): void {
    if (level.slotByAge < 0) {
      // One that is alone does not keep count of its age.
      if (this.#byAge.size === 1) this.#byAge.first?.noteAge();
      level.noteAge();
      this.#byPriority.add(level);
      this.#byAge.add(level);
    } else if (level.noteAge()) {
      this.#byAge.moved(level.slotByAge);
    }
  }

  #close(level: Level<Reason>): void {
    this.#byPriority.remove(level.slotByPriority);
    this.#byAge.remove(level.slotByAge);
    if (this.#levels.size <= keptLevels) return;
    this.#levels.delete(level.priority);
    level.close();
  }
}
