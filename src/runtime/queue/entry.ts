import type { Batch } from "./batches.js";
import type { Lane } from "./level.js";
import type { Window } from "./strategy.js";

/**
 * Where the entry of a key is:
 *
 * - `idle`: nothing is to be done; it is kept for the next time, as most keys come back;
 * - `new`: about to be put somewhere;
 * - `delayed`: in the heap of delays until it is due (a batch is a delay that may end early);
 * - `ready`: due, in a lane of the ready list;
 * - `parked`: due, but its key is paused;
 * - `running`: handed out. Reasons that arrive now are for the next time, and wait here until the work is done;
 * - `abandoned`: handed out, but its object went away meanwhile: what becomes of the work says nothing about a later
 *   object of that name.
 *
 * A key without an entry has nothing to do either; a dead key has none.
 */
export type EntryState = "idle" | "new" | "delayed" | "ready" | "parked" | "running" | "abandoned";

/**
 * What the queue knows of one key. Mutable, and used again when the key comes back: a queue that is in balance
 * allocates none, and finds the lane of a key where it was the last time.
 *
 * Invariant: `count` is 0 exactly when nothing is to be done after what runs now, and then `due` means nothing.
 *
 * There may be a million of them: what most need comes first and is small, times are {@link QueueTime}'s.
 */
export class Entry<Reason> {
  readonly key: string;
  state: EntryState = "idle";
  // What is to be done next.
  count = 0;
  due = 0;
  priority = 0;
  since = 0;
  // Most work has one reason, which needs no array until it is handed out.
  #reason: Reason | undefined;
  #reasons: Reason[] | undefined;
  dropped = 0;
  failures = 0;

  /** The lane that it is in while it is ready, or was in the last time. */
  lane: Lane<Reason> | undefined;
  // Links of the one list or heap it is in.
  previous: Entry<Reason> | undefined;
  next: Entry<Reason> | undefined;
  slot = -1;
  /** The order in which entries became ready. */
  order = 0;

  window: Window | undefined;
  batch: Batch<Reason> | undefined;
  /** The window of the work that runs: a retry of it has to keep to it. */
  windowOfWork: Window | undefined;

  constructor(key: string) {
    this.key = key;
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

  /** Whether it has been handed out. */
  get isOut(): boolean {
    return this.state === "running" || this.state === "abandoned";
  }

  /** What is to be done has become work that runs; from here on reasons are for the next time. */
  start(): void {
    this.windowOfWork = this.window;
    this.forget();
    this.state = "running";
  }

  /** Nothing is to be done any more. */
  forget(): void {
    this.count = 0;
    this.dropped = 0;
    this.window = undefined;
    this.#reason = undefined;
    this.#reasons = undefined;
  }

  /** Its object is gone while it runs. */
  abandon(): void {
    this.forget();
    this.state = "abandoned";
  }

  /** It does not run any more; what was gathered meanwhile is to be placed. */
  finish(): void {
    if (this.state === "abandoned") this.failures = 0;
    this.windowOfWork = undefined;
    this.state = "new";
  }

  /** Nothing is to be done, and nothing that happened before counts. */
  rest(): void {
    this.finish();
    this.failures = 0;
    this.state = "idle";
  }
}
