import type { Batch } from "./batches.js";
import type { Lane } from "./level.js";
import type { Window } from "./strategy.js";
import type { Work } from "./work.js";

/**
 * Where the entry of a key is:
 *
 * - `new`: just made, not yet put anywhere;
 * - `delayed`: in the heap of delays until it is due (a batch is a delay that may end early);
 * - `ready`: due, in a lane of the ready list;
 * - `parked`: due, but its key is paused;
 * - `running`: handed out. Reasons that arrive now are for the next time, and wait here until the work is done.
 *
 * A key without an entry has nothing to do; a dead key has none either.
 */
export type EntryState = "new" | "delayed" | "ready" | "parked" | "running";

/**
 * What the queue knows of one key. Mutable and used again for other keys: a queue that is in balance allocates
 * none.
 *
 * Invariant: `count` is 0 exactly when nothing is to be done after what runs now, and then `due` is Infinity.
 */
export class Entry<Reason> {
  /** The queue that it belongs to. */
  readonly queue: object;
  key = "";
  /** Whose turn it takes. */
  group = "";
  state: EntryState = "new";
  /** What has been handed out; set exactly while running. */
  work: Work<Reason> | undefined;
  /** Its object went away while it ran: what becomes of the work says nothing about a later object of that name. */
  abandoned = false;
  failures = 0;

  // What is to be done next.
  count = 0;
  dropped = 0;
  since = 0;
  due = Infinity;
  priority = 0;
  window: Window | undefined;
  batch: Batch<Reason> | undefined;
  /** The window of the work that runs: a retry of it has to keep to it. */
  windowOfWork: Window | undefined;

  // Links of the one list or heap it is in.
  lane: Lane<Reason> | undefined;
  previous: Entry<Reason> | undefined;
  next: Entry<Reason> | undefined;
  slot = -1;
  /** The order in which entries became ready. */
  order = 0;

  // Most work has one reason, which needs no array until it is handed out.
  #reason: Reason | undefined;
  #reasons: Reason[] | undefined;

  constructor(queue: object) {
    this.queue = queue;
  }

  /** Notes one more reason; beyond `max` the oldest goes. */
  collect(reason: Reason, now: number, priority: number, max: number): void {
    if (this.count === 0) {
      this.#reason = reason;
      this.count = 1;
      this.since = now;
      this.priority = priority;
      return;
    }
    if (max === 1) {
      this.#reason = reason;
      this.dropped += 1;
      return;
    }
    if (this.#reasons === undefined) {
      this.#reasons = [this.#reason as Reason, reason];
      this.count = 2;
    } else if (this.#reasons.push(reason) > max) {
      this.#reasons.shift();
      this.dropped += 1;
    } else {
      this.count += 1;
    }
  }

  /** The reasons so far, oldest first. */
  get reasons(): readonly Reason[] {
    if (this.count === 0) return [];
    return this.#reasons ?? [this.#reason as Reason];
  }

  /** Turns what is to be done into work that runs; from here on reasons are for the next time. */
  start(now: number): Work<Reason> {
    const work = new TakenWork(this, now);
    this.windowOfWork = this.window;
    this.forget();
    this.state = "running";
    this.work = work;
    return work;
  }

  /** Nothing is to be done any more. */
  forget(): void {
    this.count = 0;
    this.dropped = 0;
    this.due = Infinity;
    this.window = undefined;
    this.#reason = undefined;
    this.#reasons = undefined;
  }

  /** Its object is gone while it runs. */
  abandon(): void {
    this.forget();
    this.abandoned = true;
  }

  /** It does not run any more; what was gathered meanwhile is to be placed. */
  finish(): void {
    if (this.abandoned) this.failures = 0;
    this.abandoned = false;
    this.work = undefined;
    this.windowOfWork = undefined;
    this.state = "new";
  }

  /** Makes it as good as new, for another key. */
  reset(): void {
    this.forget();
    this.finish();
    this.failures = 0;
  }
}

/** Work that has been handed out. It knows its entry, so that nobody has to look for it when it is done. */
export class TakenWork<Reason> implements Work<Reason> {
  readonly #entry: Entry<Reason>;
  readonly key: string;
  readonly reasons: readonly Reason[];
  readonly dropped: number;
  readonly since: number;
  readonly due: number;
  readonly taken: number;
  readonly failures: number;
  readonly priority: number;

  constructor(entry: Entry<Reason>, taken: number) {
    this.#entry = entry;
    this.key = entry.key;
    this.reasons = entry.reasons;
    this.dropped = entry.dropped;
    this.since = entry.since;
    this.due = entry.due;
    this.taken = taken;
    this.failures = entry.failures;
    this.priority = entry.priority;
  }

  /** The entry of work that runs; undefined for what is over, or was never taken from a queue. */
  static entryOf<Reason>(work: Work<Reason>): Entry<Reason> | undefined {
    const taken = work as TakenWork<Reason>;
    return #entry in taken && taken.#entry.work === work ? taken.#entry : undefined;
  }
}
