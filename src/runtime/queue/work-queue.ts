import type { Clock, Timer } from "../../model/time/clock.js";
import { Agenda } from "./agenda.js";
import { Entry } from "./entry.js";
import { type QueueOptions, type Settings, settings } from "./options.js";
import { QueueTime } from "./queue-time.js";
import { RunningWork } from "./running-work.js";
import { type KeySnapshot, snapshotOf } from "./snapshot.js";
import type { Strategy } from "./strategy.js";
import { Takers } from "./takers.js";
import type { AddOptions, DeadLetter, Outcome, Work } from "./work.js";

export type { QueueObserver, QueueOptions } from "./options.js";
export type { KeySnapshot } from "./snapshot.js";

/** Idle entries that are kept for when their keys come back; a queue that is emptied after a rush lets go of the others. */
const keptIdle = 4096;

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
  readonly #entries = new Map<string, Entry<Reason>>();
  #idle = 0;
  readonly #agenda: Agenda<Reason>;
  readonly #running = new RunningWork<Reason>();
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
    this.#agenda = new Agenda(this.#settings, this.#time);
  }

  /** Asks for a key to be worked on, and says why. Ignored once the queue is drained or closed. */
  add(key: string, reason: Reason, options?: AddOptions): void {
    if (this.#ended) return;
    const now = this.#time.now();
    const priority = finite(options?.priority ?? 0, "priority", key);
    const after = Math.max(0, finite(options?.after ?? 0, "after", key));
    this.#agenda.catchUp(now);
    const entry = this.#entries.get(key) ?? this.#open(key);
    if (entry.state === "idle") this.#rouse(entry);
    const strategy = this.#strategy(key, priority, options?.type);
    const due = strategy ? this.#agenda.hold(entry, strategy, after, now) : now + after;
    this.#agenda.want(entry, reason, priority, due, now);
    this.#settings.metrics?.added?.(key);
    this.#wake();
  }

  /**
   * The next work, as soon as some is due; undefined once the queue is drained or closed. Rejects with the
   * signal's reason when aborted, and then has taken nothing. Whatever it resolves to must be given to `done`.
   */
  async take(signal?: AbortSignal): Promise<Work<Reason> | undefined> {
    signal?.throwIfAborted();
    if (this.#ended) return undefined;
    const work = this.#takers.waiting ? undefined : this.tryTake();
    if (work) return work;
    const taken = this.#takers.wait(signal);
    this.#setTimer();
    return taken;
  }

  /** The next work if some is due now. */
  tryTake(): Work<Reason> | undefined {
    if (this.#paused || this.#ended) return undefined;
    const now = this.#time.now();
    this.#agenda.catchUp(now);
    const entry = this.#agenda.take(now) ?? this.#dueByNow();
    if (!entry) return undefined;
    const work = this.#running.start(entry, this.#time);
    this.#settings.metrics?.taken?.(work, Math.max(0, work.taken - work.due));
    return work;
  }

  /** Says what became of work; from here on its key can be handed out again. */
  done(work: Work<Reason>, outcome: Outcome<Reason>): void {
    checkOutcome(work.key, outcome);
    const entry = this.#running.end(work);
    if (!entry) {
      throw new Error(
        `${work.key} is not running as this work: call done once for each work, on the queue that it was taken from`,
      );
    }
    const { metrics } = this.#settings;
    if (outcome.type === "done" && entry.count === 0 && metrics === undefined) {
      // Nothing depends on what time it is.
      this.#rest(entry);
      if (this.#ended) this.#settleDrained();
      this.#wake();
      return;
    }
    const now = this.#time.now();
    this.#agenda.catchUp(now);
    const letter = entry.state === "abandoned" ? undefined : this.#conclude(entry, work, outcome, now);
    if (entry.count === 0) this.#rest(entry);
    else {
      entry.finish();
      this.#agenda.place(entry, now);
    }
    if (this.#ended) this.#settleDrained();
    this.#wake();

    if (letter) this.#settings.onDead?.(letter);
    metrics?.done?.(work, Math.max(0, this.#time.onWall(now) - work.taken), outcome.type);
  }

  /** Holds back one key, or all of them. Reasons are still gathered, and what runs may finish. */
  pause(key?: string): void {
    if (key === undefined) this.#paused = true;
    else this.#agenda.pause(key, this.#entries.get(key));
  }

  /** Ends a pause. Keys that were paused by name stay so when all are resumed. */
  resume(key?: string): void {
    if (key === undefined) this.#paused = false;
    else this.#agenda.resume(key, this.#entries.get(key), this.#time.now());
    this.#wake();
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
    const entry = this.#entries.get(key);
    this.#agenda.remove(key, entry);
    if (entry?.isOut) entry.abandon();
    else if (entry) this.#drop(entry);
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
    for (const key of this.#entries.keys()) this.remove(key);
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

  /** The work that runs, longest first. */
  runningWork(): readonly Work<Reason>[] {
    return [...this.#running];
  }

  /** Every key that the queue knows something of, for people to look at. */
  snapshot(): readonly KeySnapshot<Reason>[] {
    this.#agenda.catchUp(this.#time.now());
    return snapshotOf(this.#entries, this.#running, this.#time, this.#agenda.paused, this.#dead);
  }

  /** What has become due since the time was last looked at. */
  #dueByNow(): Entry<Reason> | undefined {
    if (this.#agenda.delayed === 0) return undefined;
    const now = this.#time.look();
    this.#agenda.catchUp(now);
    return this.#agenda.take(now);
  }

  /** What a change's strategy is; undefined when there are none, as then there is nothing to hold back. */
  #strategy(key: string, priority: number, type: string | undefined): Strategy | undefined {
    const { strategy } = this.#settings;
    return typeof strategy === "function" ? strategy({ key, priority, type }) : strategy;
  }

  /** Takes note of what became of work; a dead letter when that was the end of it. */
  #conclude(
    entry: Entry<Reason>,
    work: Work<Reason>,
    outcome: Outcome<Reason>,
    now: number,
  ): DeadLetter<Reason> | undefined {
    const { limiter, maxRetries, metrics } = this.#settings;
    switch (outcome.type) {
      case "done":
        entry.failures = 0;
        return undefined;
      case "again": {
        entry.failures = 0;
        const { reason, after, priority = 0 } = outcome;
        const strategy = this.#strategy(work.key, priority, undefined);
        const due = strategy ? this.#agenda.hold(entry, strategy, Math.max(0, after), now) : now + after;
        this.#agenda.want(entry, reason, priority, due, now);
        return undefined;
      }
      case "retry": {
        entry.failures += 1;
        if (entry.failures > maxRetries) return this.#bury(entry, work, outcome.reason, now);
        const delay = Math.max(
          0,
          outcome.after ?? limiter.delay(work.key, entry.failures, this.#time.onWall(now)),
        );
        const due = this.#agenda.holdRetry(entry, delay, now);
        this.#agenda.want(entry, outcome.reason, work.priority, due, now);
        metrics?.retried?.(work.key, entry.failures, delay);
        return undefined;
      }
      case "dead":
        entry.failures += 1;
        return this.#bury(entry, work, outcome.reason, now);
    }
  }

  /** Gives a key up, unless something new about it was said while it ran. */
  #bury(
    entry: Entry<Reason>,
    work: Work<Reason>,
    reason: Reason,
    now: number,
  ): DeadLetter<Reason> | undefined {
    if (entry.count > 0) return undefined;
    const { key } = entry;
    const reasons = [...work.reasons, reason].slice(-this.#settings.maxReasons);
    const letter: DeadLetter<Reason> = { key, reasons, failures: entry.failures, at: this.#time.onWall(now) };
    this.#dead.set(key, letter);
    return letter;
  }

  #open(key: string): Entry<Reason> {
    const entry = new Entry<Reason>(key);
    this.#entries.set(key, entry);
    this.#idle += 1;
    return entry;
  }

  #rouse(entry: Entry<Reason>): void {
    this.#idle -= 1;
    entry.state = "new";
    if (this.#dead.size > 0) this.#dead.delete(entry.key);
  }

  /** Lets an entry that has nothing to do any more wait for when its key comes back, if there is room and its object. */
  #rest(entry: Entry<Reason>): void {
    const kept = this.#idle < keptIdle && entry.state !== "abandoned" && !this.#ended;
    entry.rest();
    this.#idle += 1;
    if (!kept) this.#drop(entry);
  }

  #drop(entry: Entry<Reason>): void {
    if (entry.state === "idle") this.#idle -= 1;
    this.#entries.delete(entry.key);
  }

  /** Hands out at the end of this turn of the event loop, so that reasons which arrive together are told together. */
  #wake(): void {
    if (this.#handingOut || !this.#takers.waiting) return;
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
    this.#timer = this.#clock.after(Math.max(0, due - this.#time.now()), () => {
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

/** Refuses what would leave a key half finished. */
function checkOutcome(key: string, outcome: Outcome<unknown>): void {
  if (outcome.type === "done" || outcome.type === "dead") return;
  finite(outcome.after ?? 0, "after", key);
  if (outcome.type === "again") finite(outcome.priority ?? 0, "priority", key);
}

function finite(value: number, what: string, key: string): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError(`${key} cannot be queued with ${what} ${value}: give a finite number`);
}
