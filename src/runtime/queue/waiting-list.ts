import type { QueueEntry } from "./entry.js";
import { SortedTree } from "./sorted-tree.js";
import { Lane } from "./lane.js";

type LevelTree<Reason> = SortedTree<Level<Reason>, undefined>;

/**
 * Entries that are due, in the order in which workers get them:
 *
 * 1. Higher priorities first; waiting for `ageing` is worth one step of priority. A lower level whose oldest entry has
 *    waited long enough overtakes. The highest level keeps every other turn, so that an old backlog cannot shut out what is
 *    urgent now.
 * 2. Within a level, fairness keys take turns: an entry waits for at most one entry of each other fairness key.
 * 3. Within a fairness key, first come, first served. An entry whose priority is raised keeps its position by age.
 *
 * Age is counted in periods of length `ageing`: an entry that became due in period d with priority p has, in period n, the
 * effective priority p + n - d. As n is the same for all entries, their order by d - p does not change as time passes.
 */
export class WaitingList<Reason> {
  readonly #fairnessKey: (key: string) => string;
  readonly #ageing: number;
  /** Levels with entries, by priority. */
  readonly #levels = new Map<number, Level<Reason>>();
  readonly #byPriority: LevelTree<Reason> = new SortedTree(undefined, (a, b) => a.priority - b.priority);
  /** Longest waiting first; among equals, higher priority first. */
  readonly #byAge: LevelTree<Reason> = new SortedTree(
    undefined,
    (a, b) => a.age - b.age || b.priority - a.priority,
  );
  #size = 0;
  #nextOrder = 0;
  /** True when a lower level had the last turn because of its age. */
  #overtaken = false;

  constructor(options: { readonly ageing: number; readonly fairnessKey: (key: string) => string }) {
    this.#ageing = options.ageing;
    this.#fairnessKey = options.fairnessKey;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: QueueEntry<Reason>): void {
    entry.order = this.#nextOrder++;
    const level = this.#level(entry.priority);
    level.lane(this.#fairnessKey(entry.key)).append(entry);
    this.#added(entry, level);
  }

  raise(entry: QueueEntry<Reason>, priority: number): void {
    const fairnessKey = entry.lane?.fairnessKey ?? "";
    this.remove(entry);
    entry.priority = priority;
    const level = this.#level(priority);
    level.lane(fairnessKey).insert(entry);
    this.#added(entry, level);
  }

  remove(entry: QueueEntry<Reason>): void {
    const { lane } = entry;
    const level = this.#levels.get(entry.priority);
    if (lane === undefined || level === undefined) throw new Error(`${entry.key} is not waiting`);
    lane.remove(entry);
    level.dropIfEmpty(lane);
    this.#removed(entry, level);
  }

  /** Removes and returns the entry whose turn it is. */
  take(): QueueEntry<Reason> | undefined {
    const highest = this.#byPriority.maxKey();
    const oldest = this.#byAge.minKey();
    this.#overtaken = oldest !== highest && !this.#overtaken;
    const level = this.#overtaken ? oldest : highest;
    if (level === undefined) return undefined;
    const entry = level.take();
    this.#removed(entry, level);
    return entry;
  }

  #level(priority: number): Level<Reason> {
    let level = this.#levels.get(priority);
    if (level === undefined) {
      level = new Level(priority);
      this.#levels.set(priority, level);
      this.#byPriority.set(level, undefined);
    }
    return level;
  }

  #added({ due }: QueueEntry<Reason>, level: Level<Reason>): void {
    this.#size += 1;
    level.countUp(Math.floor(due / this.#ageing));
    this.#updateAge(level);
  }

  #removed({ due }: QueueEntry<Reason>, level: Level<Reason>): void {
    this.#size -= 1;
    level.countDown(Math.floor(due / this.#ageing));
    this.#updateAge(level);
    if (level.age !== Infinity) return;
    this.#levels.delete(level.priority);
    this.#byPriority.delete(level);
  }

  #updateAge(level: Level<Reason>): void {
    const age = level.oldestPeriod - level.priority;
    if (age === level.age) return;
    if (level.age !== Infinity) this.#byAge.delete(level);
    level.age = age;
    if (age !== Infinity) this.#byAge.set(level, undefined);
  }
}

/** Waiting entries of one priority. */
class Level<Reason> {
  readonly priority: number;
  /** Oldest period minus priority: lower has waited longer. Infinity without entries. */
  age = Infinity;
  oldestPeriod = Infinity;
  /** Number of entries per period. */
  readonly #periods = new Map<number, number>();
  /** Lanes with entries, next in turn first: a lane that had its turn moves to the end. */
  readonly #lanes = new Map<string, Lane<Reason>>();
  /** Iterates over the lanes as they move, and so does not finish before the level is empty. */
  readonly #turns = this.#lanes.values();

  constructor(priority: number) {
    this.priority = priority;
  }

  lane(fairnessKey: string): Lane<Reason> {
    let lane = this.#lanes.get(fairnessKey);
    if (lane === undefined) {
      lane = new Lane(fairnessKey);
      this.#lanes.set(fairnessKey, lane);
    }
    return lane;
  }

  dropIfEmpty(lane: Lane<Reason>): void {
    if (lane.isEmpty) this.#lanes.delete(lane.fairnessKey);
  }

  /** Removes and returns the oldest entry of the lane whose turn it is. */
  take(): QueueEntry<Reason> {
    const lane = this.#turns.next().value;
    const entry = lane?.take();
    if (lane === undefined || entry === undefined) throw new Error("no entry is waiting at this level");
    this.#lanes.delete(lane.fairnessKey);
    if (!lane.isEmpty) this.#lanes.set(lane.fairnessKey, lane);
    return entry;
  }

  countUp(period: number): void {
    this.#periods.set(period, (this.#periods.get(period) ?? 0) + 1);
    if (period < this.oldestPeriod) this.oldestPeriod = period;
  }

  countDown(period: number): void {
    const count = (this.#periods.get(period) ?? 0) - 1;
    if (count > 0) {
      this.#periods.set(period, count);
      return;
    }
    this.#periods.delete(period);
    if (period !== this.oldestPeriod) return;
    this.oldestPeriod = Infinity;
    for (const other of this.#periods.keys()) if (other < this.oldestPeriod) this.oldestPeriod = other;
  }
}
