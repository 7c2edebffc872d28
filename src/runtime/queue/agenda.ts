import { type Batch, Batches } from "./batches.js";
import type { Entry } from "./entry.js";
import { Heap } from "./heap.js";
import type { Settings } from "./options.js";
import type { QueueTime } from "./queue-time.js";
import { ReadyList } from "./ready-list.js";
import type { Strategy, Window } from "./strategy.js";

/**
 * Everything that waits: for its time, for others of its batch, for its window, for the end of a pause, or for a
 * worker. {@link Entry} has the states; an entry is in the heap, in the ready list or in neither as its state says.
 *
 * Time is looked at when somebody asks: `catchUp` comes before everything else that takes a time.
 */
export class Agenda<Reason> {
  readonly #ready: ReadyList<Reason>;
  readonly #delays = new Heap<Entry<Reason>>(
    (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order),
    (entry, slot) => (entry.slot = slot),
  );
  readonly #batches = new Batches<Reason>();
  readonly #paused = new Set<string>();
  readonly #maxReasons: number;
  readonly #time: QueueTime;
  #delayed = 0;

  constructor(options: Pick<Settings<Reason>, "ageing" | "fairBy" | "maxReasons">, time: QueueTime) {
    this.#ready = new ReadyList(options);
    this.#maxReasons = options.maxReasons;
    this.#time = time;
  }

  get ready(): number {
    return this.#ready.size;
  }

  get delayed(): number {
    return this.#delays.size;
  }

  /** When the next entry is due that is not yet; Infinity for never. */
  get nextDue(): number {
    return this.#delays.first?.due ?? Infinity;
  }

  /** The keys that are paused by name. */
  get paused(): ReadonlySet<string> {
    return this.#paused;
  }

  /** Makes ready what has become due since the last time, in the order in which it did. */
  catchUp(now: number): void {
    for (let entry = this.#delays.first; entry && entry.due <= now; entry = this.#delays.first) {
      const { batch } = entry;
      if (batch && batch.deadline <= now) this.#letGo(batch, batch.deadline, now);
      else {
        this.#delays.remove(entry.slot);
        this.#becomeReady(entry, now);
      }
    }
  }

  /**
   * When a change is due by its strategy. Each change counts for itself, and the earliest wins: a key keeps to a
   * window only while all of its changes do.
   */
  hold(entry: Entry<Reason>, strategy: Strategy, after: number, now: number): number {
    if (strategy.type === "scheduled") {
      if (entry.count === 0 || entry.window) entry.window = strategy.window;
      return this.#openingOf(strategy.window, now + after);
    }
    entry.window = undefined;
    // A delay that somebody asked for is not a change that can wait for others.
    if (strategy.type === "immediate" || after > 0) return now + after;
    if (entry.state === "ready" || entry.state === "parked") return now;
    const batch = this.#batches.join(entry, strategy, now);
    if (batch.members.size < strategy.size) return batch.deadline;
    this.#letGo(batch, now, now);
    return now;
  }

  /** When a retry is due that must keep to the window of what failed. */
  holdRetry(entry: Entry<Reason>, after: number, now: number): number {
    const window = entry.windowOfWork;
    if (entry.count === 0 || !window) entry.window = window;
    return window ? this.#openingOf(window, now + after) : now + after;
  }

  /** Gives an entry a reason, and moves it forward if that makes it due earlier or more urgent. */
  want(entry: Entry<Reason>, reason: Reason, priority: number, due: number, now: number): void {
    const first = entry.count === 0;
    entry.collect(reason, now, priority, this.#maxReasons);
    const { state } = entry;
    if (priority > entry.priority) {
      if (state === "ready") this.#ready.raise(entry, priority);
      else entry.priority = priority;
    }
    // What is ready or parked is due already.
    if (state === "ready" || state === "parked") return;
    if (first || due < entry.due) entry.due = due > now ? wholeMillisecond(due) : due;
    else if (state !== "new") return;
    if (state === "new") this.place(entry, now);
    else if (state === "delayed") {
      if (due <= now) {
        this.#delays.remove(entry.slot);
        this.#becomeReady(entry, now);
      } else this.#delays.moved(entry.slot);
    }
  }

  /** Puts an entry that is nowhere, new or done with its work, where it belongs. */
  place(entry: Entry<Reason>, now: number): void {
    if (entry.due <= now) this.#becomeReady(entry, now);
    else this.#delay(entry);
  }

  /** Takes out the ready entry whose turn it is. */
  take(now: number): Entry<Reason> | undefined {
    for (;;) {
      const entry = this.#ready.take();
      if (!entry?.window || this.#isOpen(entry.window, now)) return entry;
      // The window was open when the entry became ready, but workers were busy.
      this.#becomeReady(entry, now);
    }
  }

  /** Forgets a key, and takes its entry out of whatever it waits in. */
  remove(key: string, entry: Entry<Reason> | undefined): void {
    this.#paused.delete(key);
    if (!entry) return;
    this.#batches.leave(entry);
    if (entry.state === "ready") this.#ready.remove(entry);
    else if (entry.state === "delayed") this.#delays.remove(entry.slot);
  }

  pause(key: string, entry: Entry<Reason> | undefined): void {
    this.#paused.add(key);
    if (entry?.state !== "ready") return;
    this.#ready.remove(entry);
    entry.state = "parked";
  }

  resume(key: string, entry: Entry<Reason> | undefined, now: number): void {
    this.#paused.delete(key);
    if (entry?.state !== "parked") return;
    // It did not wait for a worker, so the time of the pause does not make it older.
    entry.due = now;
    this.#becomeReady(entry, now);
  }

  #delay(entry: Entry<Reason>): void {
    entry.state = "delayed";
    entry.order = this.#delayed++;
    this.#delays.add(entry);
  }

  /** Makes an entry that is nowhere ready, unless its window or a pause holds it back. */
  #becomeReady(entry: Entry<Reason>, now: number): void {
    if (entry.batch) this.#batches.leave(entry);
    if (entry.window && !this.#isOpen(entry.window, now)) {
      entry.due = wholeMillisecond(this.#openingOf(entry.window, now));
      this.#delay(entry);
    } else if (this.#paused.size > 0 && this.#paused.has(entry.key)) {
      entry.state = "parked";
    } else {
      entry.state = "ready";
      this.#ready.add(entry);
    }
  }

  #letGo(batch: Batch<Reason>, due: number, now: number): void {
    for (const member of this.#batches.letGo(batch)) {
      if (due < member.due) member.due = due;
      if (member.state !== "delayed") continue;
      this.#delays.remove(member.slot);
      this.#becomeReady(member, now);
    }
  }

  #isOpen(window: Window, at: number): boolean {
    return window.isOpen(this.#time.onWall(at));
  }

  /** A window's next opening, and something later than a time at which it is closed whatever the window says. */
  #openingOf(window: Window, at: number): number {
    if (this.#isOpen(window, at)) return at;
    return Math.max(this.#time.ofWall(window.nextOpening(this.#time.onWall(at))), at + 1);
  }
}

/**
 * The end of the millisecond that a time is in. Clocks cannot tell smaller fractions of it, so a timer for one might fire
 * before its time, and again, and again.
 */
function wholeMillisecond(time: number): number {
  return Math.ceil(time);
}
