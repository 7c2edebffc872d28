import { type Batch, Batches } from "./batches.js";
import { type Entries, type Slot, State } from "./entries.js";
import { Heap } from "./heap.js";
import { none } from "./key-index.js";
import type { Settings } from "./options.js";
import type { QueueTime } from "./queue-time.js";
import { ReadyList } from "./ready-list.js";
import type { Strategy, Window } from "./strategy.js";
import { always, Windows } from "./windows.js";

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
  readonly #windows: Windows;
  readonly #paused = new Set<string>();
  readonly #maxReasons: number;
  #delayed = 0;
  /** Whether anything was ever held back by more than its time: a batch, a window, a pause. */
  #restrained = false;

  constructor(
    entries: Entries<Reason>,
    options: Pick<Settings<Reason>, "ageing" | "fairnessKey" | "maxReasons">,
    time: QueueTime,
  ) {
    this.#entries = entries;
    this.#ready = new ReadyList(entries, options);
    this.#maxReasons = options.maxReasons;
    this.#windows = new Windows(time);
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

  /** When a change may be acted upon that is to wait until a time. Throws what its window throws. */
  openingFor(strategy: Strategy, at: number): number {
    return strategy.type === "scheduled" ? this.#windows.openingOf(strategy.window, at) : at;
  }

  /**
   * When a change is due by its strategy, given its opening. Each change counts for itself, and the earliest wins: a key
   * may be worked on in the window of any of its changes, and at any time once one is due that has none.
   */
  hold(slot: Slot, strategy: Strategy, opening: number, now: number): number {
    this.#restrained = true;
    if (strategy.type === "scheduled") {
      this.#allow(slot, strategy.window, opening);
      return opening;
    }
    // A delay that somebody asked for is not a change that can wait for others.
    const due = strategy.type === "batched" && opening <= now ? this.#gather(slot, strategy, now) : opening;
    this.#allow(slot, always, due);
    return due;
  }

  /** When a retry is due that must keep to the windows of what failed. */
  holdRetry(slot: Slot, after: number, now: number): number {
    const openings = this.#windows.ofWork(slot, now + after);
    if (openings === undefined) {
      this.#allow(slot, always, now + after);
      return now + after;
    }
    for (const { window, from } of openings) this.#allow(slot, window, from);
    return Math.min(...openings.map(({ from }) => from));
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
    if (this.#restrained) this.#windows.finish(slot);
  }

  /** Forgets a key, and takes its entry out of whatever it waits in. */
  remove(key: string, slot: Slot): void {
    this.#paused.delete(key);
    if (slot === none) return;
    this.#batches.leave(slot);
    this.#windows.forget(slot);
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

  /** An entry that was taken out, or the next one whose windows have not closed meanwhile. */
  #firstOpen(taken: Slot, now: number): Slot {
    for (let slot = taken; slot !== none; slot = this.#ready.take()) {
      if (!this.#waitsForWindow(slot, now)) {
        this.#windows.start(slot);
        return slot;
      }
      // A window was open when the entry became ready, but workers were busy.
    }
    return none;
  }

  /** Lets an entry be worked on in the window of a change, from an opening on. Comes before the change is noted. */
  #allow(slot: Slot, window: Window, from: number): void {
    const entries = this.#entries;
    const isFirst = entries.count(slot) === 0;
    if (!this.#windows.has(slot)) {
      if (window === always || (!isFirst && entries.due(slot) <= from)) return;
      // What there is to do so far has no window.
      if (!isFirst) this.#windows.allow(slot, always, entries.due(slot));
    }
    this.#windows.allow(slot, window, from);
  }

  /** Puts an entry into a batch, and tells when it is due. */
  #gather(slot: Slot, strategy: Strategy & { type: "batched" }, now: number): number {
    const state = this.#entries.state(slot);
    if (state === State.ready || state === State.parked) return now;
    const batch = this.#batches.join(slot, strategy, now);
    if (batch.members.size < strategy.size) return batch.deadline;
    this.#letGo(batch, now, now);
    return now;
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
    if (this.#waitsForWindow(slot, now)) return true;
    if (!this.#paused.has(this.#entries.key(slot))) return false;
    this.#entries.setState(slot, State.parked);
    return true;
  }

  /** Delays an entry that is nowhere until it may be worked on, unless that is now. */
  #waitsForWindow(slot: Slot, now: number): boolean {
    const opening = this.#windows.next(slot, now);
    if (opening <= now) return false;
    this.#entries.setDue(slot, wholeMillisecond(opening));
    this.#delay(slot);
    return true;
  }

  #letGo(batch: Batch, due: number, now: number): void {
    for (const member of this.#batches.letGo(batch)) {
      if (this.#windows.has(member)) this.#windows.allow(member, always, due);
      if (due < this.#entries.due(member)) this.#entries.setDue(member, due);
      if (this.#entries.state(member) === State.delayed) this.#endDelay(member, now);
    }
  }
}

/**
 * The end of the millisecond that a time is in. Clocks cannot tell smaller fractions of it, so a timer for one might fire
 * before its time, and again, and again.
 */
function wholeMillisecond(time: number): number {
  return Math.ceil(time);
}
