import type { Entry } from "./entry.js";
import { Heap } from "./heap.js";
import { Level } from "./level.js";

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
 * except that a raised entry costs O(log n) in those of its lane.
 */
export class ReadyList<Reason> {
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

  constructor(options: { readonly ageing: number; readonly fairBy: (key: string) => string }) {
    this.#ageing = options.ageing;
    this.#groupOf = options.fairBy;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: Entry<Reason>): void {
    entry.order = this.#order++;
    const level = this.#levelOf(entry);
    const before = level.age;
    level.append(entry, this.#epoch(entry));
    this.#size += 1;
    this.#grown(level, before);
  }

  remove(entry: Entry<Reason>): void {
    const level = entry.lane?.level;
    if (!level) throw new Error(`${entry.key} is not ready`);
    const before = level.age;
    level.remove(entry, this.#epoch(entry));
    this.#size -= 1;
    if (level.empty) {
      this.#byPriority.remove(level.slotByPriority);
      this.#byAge.remove(level.slotByAge);
      if (this.#levels.size > keptLevels) {
        this.#levels.delete(level.priority);
        level.kept = false;
      }
    } else if (level.age !== before) {
      this.#byAge.moved(level.slotByAge);
    }
  }

  /** Gives an entry a higher priority. */
  raise(entry: Entry<Reason>, priority: number): void {
    this.remove(entry);
    entry.priority = priority;
    const level = this.#levelOf(entry);
    const before = level.age;
    level.insert(entry, this.#epoch(entry));
    this.#size += 1;
    this.#grown(level, before);
  }

  /** Takes out the entry whose turn it is. */
  take(): Entry<Reason> | undefined {
    const highest = this.#byPriority.first;
    const eldest = this.#byAge.first;
    this.#overtaken = eldest !== highest && !this.#overtaken;
    const entry = (this.#overtaken ? eldest : highest)?.next();
    if (entry) this.remove(entry);
    return entry;
  }

  #levelOf({ lane, priority }: Entry<Reason>): Level<Reason> {
    // Mostly it is at the level where it was the last time.
    if (lane !== undefined && lane.level.priority === priority && lane.level.kept) return lane.level;
    let level = this.#levels.get(priority);
    if (!level) {
      level = new Level(priority, this.#groupOf);
      this.#levels.set(priority, level);
    }
    return level;
  }

  #grown(level: Level<Reason>, ageBefore: number): void {
    if (level.slotByPriority < 0) {
      this.#byPriority.add(level);
      this.#byAge.add(level);
    } else if (level.age !== ageBefore) {
      this.#byAge.moved(level.slotByAge);
    }
  }

  #epoch(entry: Entry<Reason>): number {
    return Math.floor(entry.due / this.#ageing);
  }
}
