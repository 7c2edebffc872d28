import { type Batch, Batches } from "./batches.js";
import { type Entries, type Slot, State } from "./entries.js";
import { Heap } from "./heap.js";
import { none } from "./key-index.js";
import type { Settings } from "./options.js";
import type { QueueTime } from "./queue-time.js";
import { ReadyList } from "./ready-list.js";
import type { Strategy, Window } from "./strategy.js";

/**
 * Everything that waits: for its time, for others of its batch, for its window, for the end of a pause, or for a
 * worker. {@link State} has the states; an entry is in the heap, in the ready list or in neither as its state says.
 *
 * Time is looked at when somebody asks: `catchUp` comes before everything else that takes a time.
 */
export class Agenda<Reason> {
  readonly #entries: Entries<Reason>;
  readonly #ready: ReadyList<Reason>;
  readonly #delays = new Heap<Slot>(
    (a, b) => this.#isEarlier(a, b),
    (slot, place) => this.#entries.setPlace(slot, place),
  );
  readonly #batches = new Batches();
  /** The windows that what is to be done has to keep to, and those of the work that runs: a retry of it has to keep to it. */
  readonly #windows = new Map<Slot, Window>();
  readonly #windowsOfWork = new Map<Slot, Window>();
  readonly #paused = new Set<string>();
  readonly #maxReasons: number;
  readonly #time: QueueTime;
  #delayed = 0;
  /** Whether anything was ever held back by more than its time: a batch, a window, a pause. */
  #restrained = false;

  constructor(
    entries: Entries<Reason>,
    options: Pick<Settings<Reason>, "ageing" | "fairBy" | "maxReasons">,
    time: QueueTime,
  ) {
    this.#entries = entries;
    this.#ready = new ReadyList(entries, options);
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
    const { first } = this.#delays;
    return first === undefined ? Infinity : this.#entries.due(first);
  }

  /** The keys that are paused by name. */
  get paused(): ReadonlySet<string> {
    return this.#paused;
  }

  /** Makes ready what has become due since the last time, in the order in which it did. */
  catchUp(now: number): void {
    if (this.#delays.size > 0) this.#endDelays(now);
  }

  /**
   * When a change is due by its strategy. Each change counts for itself, and the earliest wins: a key keeps to a
   * window only while all of its changes do.
   */
  hold(slot: Slot, strategy: Strategy, after: number, now: number): number {
    this.#restrained = true;
    if (strategy.type === "scheduled") {
      if (this.#entries.count(slot) === 0 || this.#windows.has(slot)) {
        this.#windows.set(slot, strategy.window);
      }
      return this.#openingOf(strategy.window, now + after);
    }
    this.#windows.delete(slot);
    // A delay that somebody asked for is not a change that can wait for others.
    if (strategy.type === "immediate" || after > 0) return now + after;
    const state = this.#entries.state(slot);
    if (state === State.ready || state === State.parked) return now;
    const batch = this.#batches.join(slot, strategy, now);
    if (batch.members.size < strategy.size) return batch.deadline;
    this.#letGo(batch, now, now);
    return now;
  }

  /** When a retry is due that must keep to the window of what failed. */
  holdRetry(slot: Slot, after: number, now: number): number {
    const window = this.#windowsOfWork.get(slot);
    if (window === undefined) this.#windows.delete(slot);
    else if (this.#entries.count(slot) === 0) this.#windows.set(slot, window);
    return window ? this.#openingOf(window, now + after) : now + after;
  }

  /** Gives an entry a reason, and moves it forward if that makes it due earlier or more urgent. */
  want(slot: Slot, reason: Reason, priority: number, due: number, now: number): void {
    const entries = this.#entries;
    const dueAt = due > now ? wholeMillisecond(due) : due;
    if (entries.count(slot) > 0) {
      this.#wantMore(slot, reason, priority, dueAt, now);
      return;
    }
    entries.begin(slot, reason, priority, dueAt, now);
    if (entries.state(slot) === State.fresh) this.place(slot, now);
  }

  /** Puts an entry that is nowhere, new or done with its work, where it belongs. */
  place(slot: Slot, now: number): void {
    if (this.#entries.due(slot) <= now) this.#becomeReady(slot, now);
    else this.#delay(slot);
  }

  /** Takes out the ready entry whose turn it is; none when there is none. */
  take(now: number): Slot {
    const slot = this.#ready.take();
    return slot === none || !this.#restrained ? slot : this.#firstOpen(slot, now);
  }

  /** Work is over, and what window it had to keep to does not matter any more. */
  finish(slot: Slot): void {
    if (this.#restrained) this.#windowsOfWork.delete(slot);
  }

  /** Forgets a key, and takes its entry out of whatever it waits in. */
  remove(key: string, slot: Slot): void {
    this.#paused.delete(key);
    if (slot === none) return;
    this.#batches.leave(slot);
    this.#windows.delete(slot);
    const state = this.#entries.state(slot);
    if (state === State.ready) this.#ready.remove(slot);
    else if (state === State.delayed) this.#delays.remove(this.#entries.place(slot));
  }

  pause(key: string, slot: Slot): void {
    this.#restrained = true;
    this.#paused.add(key);
    if (slot === none || this.#entries.state(slot) !== State.ready) return;
    this.#ready.remove(slot);
    this.#entries.setState(slot, State.parked);
  }

  resume(key: string, slot: Slot, now: number): void {
    this.#paused.delete(key);
    if (slot === none || this.#entries.state(slot) !== State.parked) return;
    // It did not wait for a worker, so the time of the pause does not make it older.
    this.#entries.setDue(slot, now);
    this.#becomeReady(slot, now);
  }

  /** Whether an entry waits for others. */
  isBatched(slot: Slot): boolean {
    return this.#batches.of(slot) !== undefined;
  }

  /** An entry that was taken out, or the next one whose window has not closed meanwhile. */
  #firstOpen(taken: Slot, now: number): Slot {
    for (let slot = taken; slot !== none; slot = this.#ready.take()) {
      const window = this.#windows.get(slot);
      if (window === undefined) return slot;
      if (this.#isOpen(window, now)) {
        this.#windows.delete(slot);
        this.#windowsOfWork.set(slot, window);
        return slot;
      }
      // The window was open when the entry became ready, but workers were busy.
      this.#becomeReady(slot, now);
    }
    return none;
  }

  /** A reason more for what is to be done anyway. */
  #wantMore(slot: Slot, reason: Reason, priority: number, due: number, now: number): void {
    const entries = this.#entries;
    const state = entries.state(slot);
    entries.collect(slot, reason, this.#maxReasons);
    if (priority > entries.priority(slot)) {
      if (state === State.ready) this.#ready.raise(slot, priority);
      else entries.setPriority(slot, priority);
    }
    // What is ready or parked is due already.
    if (state === State.ready || state === State.parked || due >= entries.due(slot)) return;
    entries.setDue(slot, due);
    if (state !== State.delayed) return;
    if (due <= now) this.#endDelay(slot, now);
    else this.#delays.moved(entries.place(slot));
  }

  #isEarlier(a: Slot, b: Slot): boolean {
    const [first, second] = [this.#entries.due(a), this.#entries.due(b)];
    return first === second ? this.#entries.isBefore(a, b) : first < second;
  }

  #delay(slot: Slot): void {
    this.#entries.setState(slot, State.delayed);
    this.#entries.setOrder(slot, this.#delayed++);
    this.#delays.add(slot);
  }

  #endDelays(now: number): void {
    for (let slot = this.#delays.first; slot !== undefined; slot = this.#delays.first) {
      if (this.#entries.due(slot) > now) return;
      const batch = this.#batches.of(slot);
      if (batch && batch.deadline <= now) this.#letGo(batch, batch.deadline, now);
      else this.#endDelay(slot, now);
    }
  }

  #endDelay(slot: Slot, now: number): void {
    this.#delays.remove(this.#entries.place(slot));
    this.#becomeReady(slot, now);
  }

  /** Makes an entry that is nowhere ready, unless its window or a pause holds it back. */
  #becomeReady(slot: Slot, now: number): void {
    if (this.#restrained && this.#isHeldBack(slot, now)) return;
    this.#entries.setState(slot, State.ready);
    this.#ready.add(slot);
  }

  /** Whether something holds an entry back that is due, which then waits for that. */
  #isHeldBack(slot: Slot, now: number): boolean {
    this.#batches.leave(slot);
    const window = this.#windows.get(slot);
    if (window && !this.#isOpen(window, now)) {
      this.#entries.setDue(slot, wholeMillisecond(this.#openingOf(window, now)));
      this.#delay(slot);
      return true;
    }
    if (!this.#paused.has(this.#entries.key(slot))) return false;
    this.#entries.setState(slot, State.parked);
    return true;
  }

  #letGo(batch: Batch, due: number, now: number): void {
    for (const member of this.#batches.letGo(batch)) {
      if (due < this.#entries.due(member)) this.#entries.setDue(member, due);
      if (this.#entries.state(member) === State.delayed) this.#endDelay(member, now);
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
