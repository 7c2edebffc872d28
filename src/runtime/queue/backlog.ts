import { addReason, type QueueEntry } from "./entry.js";
import type { Settings } from "./options.js";
import type { Strategy, RunWindow } from "./strategy.js";
import { WaitingList } from "./waiting-list.js";
import { SortedTree } from "./sorted-tree.js";
import { addOpening, always, firstOpening, openingOf, openingOrLater } from "./windows.js";

type Batched = Strategy & { readonly type: "batched" };

/** Entries that are released together: when there are enough of them, or at the deadline. */
export interface Batch<Reason> {
  readonly id: string;
  readonly name: string | undefined;
  readonly size: number;
  readonly deadline: number;
  /** In the order in which they joined; some may be dirty. */
  readonly members: Set<QueueEntry<Reason>>;
}

/** The entries that are delayed, waiting or held. Call `catchUp` first with the time that you pass to the other methods. */
export class Backlog<Reason> {
  readonly #waiting: WaitingList<Reason>;
  readonly #delays: SortedTree<QueueEntry<Reason>, undefined> = new SortedTree(
    undefined,
    // Infinity - Infinity is not a number, and so compares by order.
    (a: QueueEntry<Reason>, b: QueueEntry<Reason>) => a.due - b.due || a.order - b.order,
  );
  /** Batches that can be joined, by the id of their strategy. */
  readonly #batches = new Map<string, Batch<Reason>>();
  readonly #paused: ReadonlySet<string>;
  readonly #maxReasons: number;
  #nextOrder = 0;

  constructor(
    options: Pick<Settings<Reason>, "ageing" | "fairnessKey" | "maxReasons">,
    paused: ReadonlySet<string>,
  ) {
    this.#paused = paused;
    this.#waiting = new WaitingList(options);
    this.#maxReasons = options.maxReasons;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get delayed(): number {
    return this.#delays.size;
  }

  /** Time at which the next delay ends; Infinity for never. */
  get nextDue(): number {
    return this.#delays.minKey()?.due ?? Infinity;
  }

  /** Ends the delays that are over, in the order in which they ended. */
  catchUp(now: number): void {
    for (;;) {
      const entry = this.#delays.minKey();
      if (entry === undefined || entry.due > now) return;
      const { batch } = entry;
      if (batch && batch.deadline <= now) this.#release(batch, batch.deadline, now);
      else {
        this.#delays.delete(entry);
        this.#becomeDue(entry, now);
      }
    }
  }

  /**
   * Adds a reason by its strategy: in a batch, in a window, or at `due`. Each change counts for itself, and the earliest
   * wins: a key may run in the window of any of its changes, and at any time once a change without a window is due.
   */
  add(
    entry: QueueEntry<Reason>,
    reason: Reason,
    strategy: Strategy,
    priority: number,
    due: number,
    now: number,
  ): void {
    // A requested delay does not wait for a batch.
    const joins = strategy.type === "batched" && due <= now;
    const dueAt = joins ? this.#joinBatch(entry, strategy, now) : due;
    this.#allow(entry, strategy.type === "scheduled" ? strategy.window : always, dueAt);
    this.#add(entry, reason, priority, dueAt, now);
  }

  /** Adds the reason of a retry, which keeps to the windows of the run that failed. */
  addRetry(
    entry: QueueEntry<Reason>,
    reason: Reason,
    failed: QueueEntry<Reason>,
    delay: number,
    now: number,
  ): void {
    const windows = failed.openings?.map(({ window }) => window) ?? [always];
    let due = Infinity;
    for (const window of windows.includes(always) ? [always] : windows) {
      const from = openingOrLater(window, now + delay);
      this.#allow(entry, window, from);
      due = Math.min(due, from);
    }
    this.#add(entry, reason, failed.priority, due, now);
  }

  /** Makes an entry with reasons delayed, waiting or held. */
  place(entry: QueueEntry<Reason>, now: number): void {
    if (entry.due > now) this.#delay(entry);
    else this.#becomeDue(entry, now);
  }

  /** Removes and returns the next waiting entry. One whose windows have closed meanwhile is delayed again. */
  take(now: number): QueueEntry<Reason> | undefined {
    for (;;) {
      const entry = this.#waiting.take();
      if (entry === undefined || !this.#delayUntilOpen(entry, now)) return entry;
    }
  }

  /** Removes an entry from wherever it is. */
  remove(entry: QueueEntry<Reason>): void {
    this.#leaveBatch(entry);
    if (entry.state === "waiting") this.#waiting.remove(entry);
    else if (entry.state === "delayed") this.#delays.delete(entry);
  }

  /** Holds a waiting entry, as its key was paused. */
  hold(entry: QueueEntry<Reason>): void {
    if (entry.state !== "waiting") return;
    this.#waiting.remove(entry);
    entry.state = "held";
  }

  /** Lets a held entry go on, as its key is not paused any more. */
  unhold(entry: QueueEntry<Reason>, now: number): void {
    if (entry.state !== "held") return;
    // Time under a pause does not count as time spent waiting for a worker.
    entry.due = now;
    this.#becomeDue(entry, now);
  }

  #add(entry: QueueEntry<Reason>, reason: Reason, priority: number, due: number, now: number): void {
    // Clocks have whole milliseconds: a timer for a fraction of one would fire too early, again and again.
    const dueAt = due > now ? Math.ceil(due) : due;
    const isFirst = entry.reasons.length === 0;
    addReason(entry, reason, this.#maxReasons);
    if (isFirst) {
      entry.due = dueAt;
      entry.priority = priority;
      if (entry.state === "new") this.place(entry, now);
      return;
    }
    if (priority > entry.priority) this.#raise(entry, priority);
    if (entry.state !== "waiting" && entry.state !== "held") this.#moveForward(entry, dueAt, now);
  }

  #raise(entry: QueueEntry<Reason>, priority: number): void {
    if (entry.state === "waiting") this.#waiting.raise(entry, priority);
    else entry.priority = priority;
  }

  #moveForward(entry: QueueEntry<Reason>, due: number, now: number): void {
    if (due >= entry.due) return;
    if (entry.state !== "delayed") {
      entry.due = due;
      return;
    }
    this.#delays.delete(entry);
    entry.due = due;
    if (due <= now) this.#becomeDue(entry, now);
    else this.#delays.set(entry, undefined);
  }

  #delay(entry: QueueEntry<Reason>): void {
    entry.state = "delayed";
    entry.order = this.#nextOrder++;
    this.#delays.set(entry, undefined);
  }

  #becomeDue(entry: QueueEntry<Reason>, now: number): void {
    this.#leaveBatch(entry);
    if (this.#delayUntilOpen(entry, now)) return;
    if (this.#paused.has(entry.key)) entry.state = "held";
    else {
      entry.state = "waiting";
      this.#waiting.add(entry);
    }
  }

  /** Lets an entry run in a window from an opening on. Call it before adding the reason that the window is for. */
  #allow(entry: QueueEntry<Reason>, window: RunWindow, from: number): void {
    if (entry.openings === undefined) {
      const hasReasons = entry.reasons.length > 0;
      if (window === always || (hasReasons && entry.due <= from)) return;
      entry.openings = [];
      // The reasons so far have no window.
      if (hasReasons) addOpening(entry.openings, always, entry.due);
    }
    addOpening(entry.openings, window, from);
  }

  /** Delays an entry until one of its windows is open; false when one is open now. */
  #delayUntilOpen(entry: QueueEntry<Reason>, now: number): boolean {
    const opening = entry.openings === undefined ? now : firstOpening(entry.openings, now);
    if (opening <= now) return false;
    entry.due = Math.ceil(opening);
    this.#delay(entry);
    return true;
  }

  /** Adds an entry to the batch of a strategy; returns when it is due. */
  #joinBatch(entry: QueueEntry<Reason>, { id, name, size, timeout }: Batched, now: number): number {
    if (entry.state === "waiting" || entry.state === "held") return now;
    let batch = this.#batches.get(id);
    // Past the deadline all members are dirty, as others would have been released: they are due, and need no batch.
    if (batch && batch.deadline <= now) this.#dissolve(batch);
    if (!batch || batch.deadline <= now) {
      batch = { id, name, size, deadline: now + timeout, members: new Set() };
      this.#batches.set(id, batch);
    }
    if (entry.batch !== batch) this.#leaveBatch(entry);
    entry.batch = batch;
    batch.members.add(entry);
    if (batch.members.size < size) return batch.deadline;
    this.#release(batch, now, now);
    return now;
  }

  #leaveBatch(entry: QueueEntry<Reason>): void {
    const { batch } = entry;
    if (batch === undefined) return;
    entry.batch = undefined;
    batch.members.delete(entry);
    if (batch.members.size === 0) this.#batches.delete(batch.id);
  }

  /** Makes all members of a batch due. */
  #release(batch: Batch<Reason>, due: number, now: number): void {
    this.#dissolve(batch);
    for (const member of batch.members) {
      if (member.openings !== undefined) addOpening(member.openings, always, due);
      if (member.state === "delayed") this.#delays.delete(member);
      member.due = Math.min(member.due, due);
      if (member.state === "delayed") this.#becomeDue(member, now);
    }
  }

  #dissolve(batch: Batch<Reason>): void {
    this.#batches.delete(batch.id);
    for (const member of batch.members) member.batch = undefined;
  }
}

/** Earliest time from `at` on at which a strategy allows a run. Throws what its window throws. */
export function openingFor(strategy: Strategy, at: number): number {
  return strategy.type === "scheduled" ? openingOf(strategy.window, at) : at;
}
