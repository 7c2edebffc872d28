import type { Clock, Timer } from "../../model/time/clock.js";
import { Agenda } from "./agenda.js";
import { Entries, type Slot, State } from "./entries.js";
import { none } from "./key-index.js";
import { type QueueOptions, type Settings, settings } from "./options.js";
import { QueueTime } from "./queue-time.js";
import { checkDelay, checkOutcome, finite, notRunning } from "./refusals.js";
import { type RunningKey, RunningWork } from "./running-work.js";
import { type KeySnapshot, snapshotOf } from "./snapshot.js";
import { Takers } from "./takers.js";
import type { AddOptions, DeadLetter, Outcome, Unfinished, QueueItem } from "./queue-item.js";

export type { QueueObserver, QueueOptions } from "./options.js";
export type { KeySnapshot } from "./snapshot.js";

/**
 * What is to be done, and why, once per key.
 *
 * - A key that is added while it waits keeps its place and gains a reason. A key that is added while it runs is
 *   done again afterwards; it never runs twice at once, and no reason is lost.
 * - Of several times at which a key is due, the earliest counts: an immediate add overtakes a delay.
 * - Who goes first is the rule of {@link ReadyList}; when a change is acted upon is that of its {@link Strategy}.
 * - A key that failed waits as its limiter says; one that failed too often is dead until it is added anew.
 *
 * Nothing happens by itself: time is looked at when the queue is used, and one timer is set while somebody waits
 * for work that is not due yet.
 *
 * @example
 * const queue = new WorkQueue<string>({ clock: systemClock });
 * queue.add("default/site", "created");
 * for (let work = await queue.take(signal); work; work = await queue.take(signal)) {
 *   queue.done(work, await reconcile(work.key, work.reasons));
 * }
 */
export class WorkQueue<Reason> {
  readonly #settings: Settings<Reason>;
  readonly #clock: Clock;
  readonly #time: QueueTime;
  readonly #entries = new Entries<Reason>();
  readonly #agenda: Agenda<Reason>;
  readonly #running: RunningWork<Reason>;
  readonly #dead = new Map<string, DeadLetter<Reason>>();
  readonly #takers = new Takers<Reason>();
  #paused = false;
  /** Nothing is added or handed out any more. */
  #ended = false;
  #drained: (() => void)[] = [];
  #timer: Timer | undefined;
  /** When the timer fires; Infinity without one. */
  #timerAt = Infinity;
  #handingOut = false;

  constructor(options: QueueOptions<Reason>) {
    this.#settings = settings(options);
    this.#clock = options.clock;
    this.#time = new QueueTime(options.clock);
    this.#agenda = new Agenda(this.#entries, this.#settings, this.#time);
    this.#running = new RunningWork(this.#entries, this.#time);
  }

  /**
   * Asks for a key to be worked on, and says why. Ignored once the queue is drained or closed. Throws what the strategy
   * throws, and then has changed nothing.
   */
  add(key: string, reason: Reason, options?: AddOptions): void {
    if (this.#ended) return;
    // What is frequent is kept apart from what is not, so that it is compiled into one piece.
    if (options === undefined && this.#settings.strategy === undefined) this.#wantNow(key, reason);
    else this.#want(key, reason, options ?? {});
    this.#settings.metrics?.added?.(key);
    if (this.#takers.waiting) this.#wake();
  }

  /**
   * The next work, as soon as some is due; undefined once the queue is drained or closed. Rejects with the
   * signal's reason when aborted, and then has taken nothing. Whatever it resolves to must be given to `done`.
   */
  async take(signal?: AbortSignal): Promise<QueueItem<Reason> | undefined> {
    signal?.throwIfAborted();
    if (this.#ended) return undefined;
    const work = this.#takers.waiting ? undefined : this.tryTake();
    if (work) return work;
    const taken = this.#takers.wait(signal);
    this.#setTimer();
    return taken;
  }

  /** The next work if some is due now. */
  tryTake(): QueueItem<Reason> | undefined {
    if (this.#paused || this.#ended) return undefined;
    const now = this.#time.now();
    this.#agenda.catchUp(now);
    const found = this.#agenda.take(now);
    return found === none ? this.#takeNewlyDue() : this.#start(found, now);
  }

  /**
   * Says what became of work; from here on its key can be handed out again.
   *
   * Throws what the limiter or the strategy throws, and a RangeError when the limiter's delay is not a finite number of 0
   * or more. Then nothing has changed: the work still runs, and `done` can be called again, perhaps with an `after` so
   * that the limiter is not asked.
   */
  done(work: QueueItem<Reason>, outcome: Outcome<Reason>): void {
    if (outcome.type !== "done") {
      this.#conclude(work, outcome);
      return;
    }
    const slot = this.#running.end(work);
    if (slot === none) throw notRunning(work.key);
    if (this.#entries.count(slot) === 0 && this.#settings.metrics === undefined) {
      // Nothing depends on what time it is.
      this.#rest(slot);
      if (this.#ended) this.#settleDrained();
      if (this.#takers.waiting) this.#wake();
    } else this.#succeed(slot, work);
  }

  /** Holds back one key, or all of them. Reasons are still gathered, and what runs may finish. */
  pause(key?: string): void {
    if (key === undefined) this.#paused = true;
    else this.#agenda.pause(key, this.#entries.find(key));
  }

  /** Ends a pause. Keys that were paused by name stay so when all are resumed. */
  resume(key?: string): void {
    if (key === undefined) this.#paused = false;
    else this.#agenda.resume(key, this.#entries.find(key), this.#time.now());
    if (this.#takers.waiting) this.#wake();
  }

  /** Whether a key is held back, by name or with all; without a key, whether all are. */
  isPaused(key?: string): boolean {
    return this.#paused || (key !== undefined && this.#agenda.paused.has(key));
  }

  /** What was given up, in the order in which it was. */
  dead(): readonly DeadLetter<Reason>[] {
    return [...this.#dead.values()];
  }

  /** Tries a dead key once more, or all of them, as if they had never failed. Returns how many. */
  revive(key: string | undefined, reason: Reason): number {
    if (this.#ended) return 0;
    const keys = key === undefined ? [...this.#dead.keys()] : this.#dead.has(key) ? [key] : [];
    for (const dead of keys) this.add(dead, reason);
    return keys.length;
  }

  /**
   * Forgets all about a key, as its object is gone. Work that runs may finish, and what becomes of it does not
   * matter any more.
   */
  remove(key: string): void {
    this.#dead.delete(key);
    const slot = this.#entries.find(key);
    this.#agenda.remove(key, slot);
    if (slot === none) return;
    if (this.#entries.isOut(slot)) {
      this.#entries.forget(slot);
      this.#entries.setState(slot, State.abandoned);
    } else this.#entries.drop(slot);
  }

  /** Hands out nothing more, and resolves when all that runs is done. */
  drain(): Promise<void> {
    this.#end();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#settleDrained();
    });
  }

  /** Hands out nothing more, and forgets everything but what runs. */
  close(): void {
    this.#end();
    for (const slot of this.#entries) this.remove(this.#entries.key(slot));
    for (const key of this.#agenda.paused) this.remove(key);
    this.#dead.clear();
  }

  /** How many keys wait for a worker. */
  get depth(): number {
    this.#agenda.catchUp(this.#time.now());
    return this.#agenda.ready;
  }

  /** How many keys wait for their time, or for others of their batch. */
  get delayed(): number {
    this.#agenda.catchUp(this.#time.now());
    return this.#agenda.delayed;
  }

  get running(): number {
    return this.#running.size;
  }

  /** The keys that run, longest first. */
  runningKeys(): readonly RunningKey[] {
    return this.#running.list();
  }

  /** Every key that the queue knows something of, for people to look at. */
  snapshot(): readonly KeySnapshot<Reason>[] {
    this.#agenda.catchUp(this.#time.now());
    return snapshotOf(this.#entries, this.#agenda, this.#time, this.#dead);
  }

  #wantNow(key: string, reason: Reason): void {
    const now = this.#time.now();
    this.#agenda.catchUp(now);
    this.#agenda.want(this.#roused(key), reason, 0, now, now);
  }

  #want(key: string, reason: Reason, options: AddOptions): void {
    const priority = finite(options.priority ?? 0, "priority", key);
    const after = Math.max(0, finite(options.after ?? 0, "after", key));
    // A delay begins now, however long this turn has lasted.
    const now = after > 0 ? this.#time.look() : this.#time.now();
    this.#agenda.catchUp(now);
    this.#wantAfter(key, reason, priority, after, options.type, now);
  }

  /** Asks the strategy when, before anything changes: it may throw. */
  #wantAfter(
    key: string,
    reason: Reason,
    priority: number,
    after: number,
    type: string | undefined,
    now: number,
  ): void {
    const { strategy } = this.#settings;
    if (strategy === undefined) {
      this.#agenda.want(this.#roused(key), reason, priority, now + after, now);
      return;
    }
    const chosen = typeof strategy === "function" ? strategy({ key, priority, type }) : strategy;
    const opening = this.#agenda.openingFor(chosen, now + after);
    const slot = this.#roused(key);
    this.#agenda.want(slot, reason, priority, this.#agenda.hold(slot, chosen, opening, now), now);
  }

  /** What has become due since the time was last looked at. */
  #takeNewlyDue(): QueueItem<Reason> | undefined {
    if (this.#agenda.delayed === 0) return undefined;
    const now = this.#time.look();
    this.#agenda.catchUp(now);
    const slot = this.#agenda.take(now);
    return slot === none ? undefined : this.#start(slot, now);
  }

  #start(slot: Slot, now: number): QueueItem<Reason> {
    const work = this.#running.start(slot, now);
    this.#settings.metrics?.taken?.(work, Math.max(0, work.taken - work.due));
    return work;
  }

  /** Ends work that has done what was to be done. */
  #succeed(slot: Slot, work: QueueItem<Reason>): void {
    const now = this.#time.look();
    this.#agenda.catchUp(now);
    this.#entries.setFailures(slot, 0);
    this.#finish(slot, work, "done", undefined, now);
  }

  /** Ends work that has not. What comes next is found out first: as long as that may throw, the work runs. */
  #conclude(work: QueueItem<Reason>, outcome: Unfinished<Reason>): void {
    checkOutcome(work.key, outcome);
    const slot = this.#running.find(work);
    if (slot === none) throw notRunning(work.key);
    const now = this.#time.look();
    this.#agenda.catchUp(now);
    const abandoned = this.#entries.state(slot) === State.abandoned;
    if (abandoned) this.#entries.setFailures(slot, 0);
    const letter = abandoned ? undefined : this.#goOn(slot, work, outcome, now);
    this.#running.end(work);
    this.#finish(slot, work, outcome.type, letter, now);
  }

  #finish(
    slot: Slot,
    work: QueueItem<Reason>,
    outcome: Outcome<Reason>["type"],
    letter: DeadLetter<Reason> | undefined,
    now: number,
  ): void {
    const { metrics, onDead } = this.#settings;
    const entries = this.#entries;
    if (entries.count(slot) === 0) this.#rest(slot);
    else {
      this.#agenda.finish(slot);
      entries.setState(slot, State.fresh);
      this.#agenda.place(slot, now);
    }
    if (this.#ended) this.#settleDrained();
    if (this.#takers.waiting) this.#wake();

    if (letter) onDead?.(letter);
    metrics?.done?.(work, Math.max(0, this.#time.onWall(now) - work.taken), outcome);
  }

  /** Takes note of what is to be done next; a dead letter when that is nothing. Throws before it changes anything. */
  #goOn(
    slot: Slot,
    work: QueueItem<Reason>,
    outcome: Unfinished<Reason>,
    now: number,
  ): DeadLetter<Reason> | undefined {
    const { maxRetries, metrics } = this.#settings;
    const { key } = work;
    const entries = this.#entries;
    if (outcome.type === "again") {
      const { reason, after, priority = 0 } = outcome;
      this.#wantAfter(key, reason, priority, Math.max(0, after), undefined, now);
      entries.setFailures(slot, 0);
      return undefined;
    }
    const failures = entries.failures(slot) + 1;
    const isOver = outcome.type === "dead" || failures > maxRetries;
    const delay = isOver ? 0 : Math.max(0, outcome.after ?? this.#delayOf(key, failures, now));
    entries.setFailures(slot, failures);
    if (isOver) return this.#bury(slot, work, outcome.reason, now);
    const due = this.#agenda.holdRetry(slot, delay, now);
    this.#agenda.want(slot, outcome.reason, work.priority, due, now);
    metrics?.retried?.(key, failures, delay);
    return undefined;
  }

  /** How long the limiter lets a key wait that failed. */
  #delayOf(key: string, failures: number, now: number): number {
    return checkDelay(key, this.#settings.limiter.delay(key, failures, this.#time.onWall(now)));
  }

  /** Gives a key up, unless something new about it was said while it ran: then it is tried for that, and knows how it failed. */
  #bury(slot: Slot, work: QueueItem<Reason>, reason: Reason, now: number): DeadLetter<Reason> | undefined {
    const { maxReasons } = this.#settings;
    if (this.#entries.count(slot) > 0) {
      this.#entries.collect(slot, reason, maxReasons);
      return undefined;
    }
    const { key } = work;
    const reasons = [...work.reasons, reason].slice(-maxReasons);
    const letter: DeadLetter<Reason> = {
      key,
      reasons,
      failures: this.#entries.failures(slot),
      at: this.#time.onWall(now),
    };
    this.#dead.set(key, letter);
    return letter;
  }

  /** The entry of a key for which something is to be done. */
  #roused(key: string): Slot {
    const entries = this.#entries;
    const found = entries.find(key);
    const slot = found === none ? entries.open(key) : found;
    if (entries.state(slot) !== State.idle) return slot;
    entries.rouse(slot);
    if (this.#dead.size > 0) this.#dead.delete(key);
    return slot;
  }

  /** Lets an entry that has nothing to do any more wait for when its key comes back, unless its object or the queue is gone. */
  #rest(slot: Slot): void {
    const gone = this.#ended || this.#entries.state(slot) === State.abandoned;
    this.#agenda.finish(slot);
    if (gone) this.#entries.drop(slot);
    else this.#entries.rest(slot);
  }

  /** Hands out at the end of this turn of the event loop, so that reasons which arrive together are told together. */
  #wake(): void {
    if (this.#handingOut) return;
    this.#handingOut = true;
    queueMicrotask(() => this.#handOut());
  }

  #handOut(): void {
    this.#handingOut = false;
    while (this.#takers.waiting) {
      const work = this.tryTake();
      if (!work) break;
      this.#takers.give(work);
    }
    this.#setTimer();
  }

  /** Sets the timer for what is due next, as long as somebody waits for it. One that fires early does no harm. */
  #setTimer(): void {
    const due = this.#agenda.nextDue;
    if (due >= this.#timerAt || this.#paused || this.#ended || !this.#takers.waiting) return;
    this.#timer?.cancel();
    this.#timerAt = due;
    this.#timer = this.#clock.after(Math.max(0, due - this.#time.look()), () => {
      this.#timer = undefined;
      this.#timerAt = Infinity;
      this.#handOut();
    });
  }

  #end(): void {
    this.#ended = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Infinity;
    this.#takers.dismiss();
  }

  #settleDrained(): void {
    if (this.#running.size > 0) return;
    for (const resolve of this.#drained) resolve();
    this.#drained = [];
  }
}
