import type { Clock, Timer } from "../../model/time/clock.js";
import { Backlog, openingFor } from "./backlog.js";
import { addReason, type QueueEntry, newEntry } from "./entry.js";
import { type QueueOptions, type Settings, resolveOptions } from "./options.js";
import type { AddOptions, DeadLetter, QueueOutcome, QueueItem } from "./queue-item.js";
import { type KeySnapshot, snapshotKey, snapshotQueue } from "./snapshot.js";
import { type StrategyHold, strategyHolds } from "./strategy-hold.js";
import { Takers } from "./takers.js";

export type { QueueObserver, QueueOptions } from "./options.js";

/**
 * Queue of keys to work on, each with the reasons for it.
 *
 * - A key added while it waits keeps its position and gains a reason. A key added while it runs runs again afterwards. A
 *   key never runs twice at once, and no reason is lost.
 * - Of several times at which a key is due, the earliest counts: an immediate add overtakes a delay.
 * - `WaitingList` has the order of what is due, {@link Strategy} the time at which a change becomes due, `QueueEntry` the states
 *   of a key.
 * - A failed key waits for the delay of its limiter; when its retries are used up it is dead until it is added again.
 *
 * The queue acts only when it is called: each call first makes waiting what has become due. One timer is set while a call
 * of `take` waits for a key that is not due yet.
 *
 * @example
 * const queue = new WorkQueue<string>({ clock: systemClock });
 * queue.add("default/site", "created");
 * for (let item = await queue.take(signal); item; item = await queue.take(signal)) {
 *   queue.done(item, await reconcile(item.key, item.reasons));
 * }
 */
export class WorkQueue<Reason> {
  readonly #settings: Settings<Reason>;
  readonly #clock: Clock;
  /** The entry of every key that is not idle or dead; of a dirty key the running one. */
  readonly #entries = new Map<string, QueueEntry<Reason>>();
  /** Running entries, longest first. */
  readonly #running = new Map<string, QueueEntry<Reason>>();
  readonly #pausedKeys = new Set<string>();
  readonly #backlog: Backlog<Reason>;
  readonly #dead = new Map<string, DeadLetter<Reason>>();
  readonly #takers = new Takers<Reason>();
  #paused = false;
  /** Drained or closed: ignores adds, gives out nothing. */
  #ended = false;
  readonly #drained: (() => void)[] = [];
  #timer: Timer | undefined;
  /** Time at which the timer fires; Infinity without a timer. */
  #timerAt = Infinity;
  #wakingUp = false;

  constructor(options: QueueOptions<Reason>) {
    this.#settings = resolveOptions(options);
    this.#clock = options.clock;
    this.#backlog = new Backlog(this.#settings, this.#pausedKeys);
  }

  /** Adds a key, or a reason to one. Ignored once drained or closed. Throws what the strategy throws, without any effect. */
  add(key: string, reason: Reason, options: AddOptions = {}): void {
    if (this.#ended) return;
    const { priority = 0, after = 0, type } = options;
    checkFinite(priority, "priority", key);
    checkFinite(after, "after", key);
    this.#add(key, reason, priority, after, type, this.#catchUp());
    this.#settings.metrics?.added?.(key);
    this.#wakeTakers();
  }

  /**
   * Takes the next item as soon as one is due; undefined once drained or closed. Rejects with the signal's reason when
   * aborted, without having taken an item. Every item must be passed to `done`.
   */
  async take(signal?: AbortSignal): Promise<QueueItem<Reason> | undefined> {
    signal?.throwIfAborted();
    if (this.#ended) return undefined;
    const item = this.#takers.isEmpty ? this.tryTake() : undefined;
    if (item !== undefined) return item;
    const taken = this.#takers.wait(signal);
    this.#setTimer();
    return taken;
  }

  /** Takes the next item if one is due now. */
  tryTake(): QueueItem<Reason> | undefined {
    if (this.#paused || this.#ended) return undefined;
    const now = this.#catchUp();
    const entry = this.#backlog.take(now);
    if (entry === undefined) return undefined;
    entry.state = "running";
    entry.taken = now;
    this.#running.set(entry.key, entry);
    this.#settings.metrics?.taken?.(entry, Math.max(0, now - entry.due));
    return entry;
  }

  /**
   * Finishes an item; from then on its key can be taken again.
   *
   * Throws what the limiter or the strategy throws, and a RangeError when the limiter's delay is not a finite number of at
   * least 0. The item keeps running then: call `done` again, perhaps with an `after`, for which the limiter is not called.
   */
  done(item: QueueItem<Reason>, outcome: QueueOutcome<Reason>): void {
    const { key } = item;
    const entry = this.#running.get(key);
    if (entry === undefined || entry !== item) {
      throw new Error(
        `${key} is not running as this item: call done once per item, on the queue that it was taken from`,
      );
    }
    const now = this.#catchUp();
    const letter = this.#conclude(entry, outcome, now);
    const { next } = entry;
    this.#running.delete(key);
    if (next === undefined) this.#entries.delete(key);
    else {
      this.#entries.set(key, next);
      this.#backlog.place(next, now);
    }
    if (this.#ended) this.#resolveDrained();
    this.#wakeTakers();
    if (letter !== undefined) this.#settings.onDead?.(letter);
    this.#settings.metrics?.done?.(item, Math.max(0, now - item.taken), outcome.type);
  }

  /** Holds back one key, or all of them. Reasons are still collected, and running items may finish. */
  pause(key?: string): void {
    if (key === undefined) {
      this.#paused = true;
      return;
    }
    this.#pausedKeys.add(key);
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#backlog.hold(entry);
  }

  /** Ends a pause of one key, or of all; a key that was paused by name stays paused when all are resumed. */
  resume(key?: string): void {
    if (key === undefined) this.#paused = false;
    else {
      this.#pausedKeys.delete(key);
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#backlog.unhold(entry, this.#clock.now());
    }
    this.#wakeTakers();
  }

  /** True when a key is paused, by name or with all; without a key, when all are. */
  isPaused(key?: string): boolean {
    return this.#paused || (key !== undefined && this.#pausedKeys.has(key));
  }

  /** Dead letters, oldest first. */
  dead(): readonly DeadLetter<Reason>[] {
    return [...this.#dead.values()];
  }

  /** Adds a dead key again, or all of them, with their failures reset. Returns the number of keys. */
  revive(key: string | undefined, reason: Reason, options?: AddOptions): number {
    if (this.#ended) return 0;
    const keys = [...this.#dead.keys()].filter((dead) => key === undefined || dead === key);
    for (const dead of keys) this.add(dead, reason, options);
    return keys.length;
  }

  /** Resets the failures of a key, so that its next failure is the first. False if it has none. */
  resetFailures(key: string): boolean {
    const entry = this.#entries.get(key);
    const failed = [entry, entry?.next].filter((each) => each !== undefined && each.failures > 0);
    for (const each of failed) if (each !== undefined) each.failures = 0;
    return failed.length > 0;
  }

  /** Forgets a key, as its object is gone. A running item may finish, and its outcome is ignored. */
  remove(key: string): void {
    this.#dead.delete(key);
    this.#pausedKeys.delete(key);
    const running = this.#running.get(key);
    const entry = running === undefined ? this.#entries.get(key) : running.next;
    if (entry !== undefined) this.#backlog.remove(entry);
    if (running === undefined) this.#entries.delete(key);
    else {
      running.removed = true;
      running.next = undefined;
    }
  }

  /** Gives out nothing more, and resolves when all running items are done. */
  drain(): Promise<void> {
    this.#end();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#resolveDrained();
    });
  }

  /** Gives out nothing more, and forgets everything but the running items. */
  close(): void {
    this.#end();
    for (const key of [...this.#entries.keys(), ...this.#pausedKeys]) this.remove(key);
    this.#dead.clear();
  }

  /** Number of keys that wait for a worker. */
  get depth(): number {
    this.#catchUp();
    return this.#backlog.waiting;
  }

  /** Number of keys that are not due yet. */
  get delayed(): number {
    this.#catchUp();
    return this.#backlog.delayed;
  }

  /** Milliseconds for which the oldest key has waited for a worker; 0 if none waits. Visits every key of a queue with waiting ones. */
  get longestWait(): number {
    const now = this.#catchUp();
    let longest = 0;
    if (this.#backlog.waiting === 0) return 0;
    for (const { state, due } of this.#entries.values()) {
      if (state === "waiting") longest = Math.max(longest, now - due);
    }
    return longest;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Running keys, longest first. */
  runningKeys(): readonly Pick<QueueItem<Reason>, "key" | "taken">[] {
    return Array.from(this.#running.values(), ({ key, taken }) => ({ key, taken }));
  }

  /** Every key that is not idle. */
  snapshot(): readonly KeySnapshot<Reason>[] {
    return snapshotQueue(this.#entries, this.#pausedKeys, this.#dead, this.#catchUp());
  }

  /** One key; undefined if it is idle. */
  inspect(key: string): KeySnapshot<Reason> | undefined {
    return snapshotKey(key, this.#entries, this.#pausedKeys, this.#dead, this.#catchUp());
  }

  /** Strategies that hold keys back, and the number of these; those that release theirs first come first. */
  holds(): readonly StrategyHold[] {
    return strategyHolds(this.#entries.values(), this.#catchUp());
  }

  #catchUp(): number {
    const now = this.#clock.now();
    this.#backlog.catchUp(now);
    return now;
  }

  /** Adds a reason by its strategy, which may throw: it is called before anything changes. */
  #add(
    key: string,
    reason: Reason,
    priority: number,
    after: number,
    type: string | undefined,
    now: number,
  ): void {
    const { strategy } = this.#settings;
    const chosen = typeof strategy === "function" ? strategy({ key, priority, type }) : strategy;
    const due = openingFor(chosen, now + Math.max(0, after));
    this.#backlog.add(this.#pending(key, now), reason, chosen, priority, due, now);
  }

  /** The entry of the next run of a key. */
  #pending(key: string, now: number): QueueEntry<Reason> {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const created = newEntry<Reason>(key, "new", now);
      this.#entries.set(key, created);
      this.#dead.delete(key);
      return created;
    }
    return entry.state === "running" ? (entry.next ??= newEntry(key, "dirty", now)) : entry;
  }

  /** Adds what follows from an outcome, or returns a dead letter. Throws before anything changes. */
  #conclude(
    entry: QueueEntry<Reason>,
    outcome: QueueOutcome<Reason>,
    now: number,
  ): DeadLetter<Reason> | undefined {
    const { key, removed } = entry;
    if (outcome.type === "requeue") {
      const { after, priority = 0, reason } = outcome;
      checkFinite(after, "after", key);
      checkFinite(priority, "priority", key);
      if (!removed) this.#add(key, reason, priority, after, undefined, now);
    } else if (outcome.type !== "done") {
      if (outcome.type === "retry") checkFinite(outcome.after ?? 0, "after", key);
      if (!removed) return this.#fail(entry, outcome, now);
    }
    return undefined;
  }

  #fail(
    entry: QueueEntry<Reason>,
    outcome: Extract<QueueOutcome<Reason>, { readonly type: "retry" | "dead" }>,
    now: number,
  ): DeadLetter<Reason> | undefined {
    const { limiter, maxReasons, maxRetries, metrics } = this.#settings;
    const { key, next } = entry;
    const { reason } = outcome;
    const failures = entry.failures + 1;
    if (outcome.type === "retry" && failures <= maxRetries) {
      const delay = Math.max(0, outcome.after ?? checkDelay(limiter.delay(key, failures, now), key));
      const retry = this.#pending(key, now);
      retry.failures = failures;
      this.#backlog.addRetry(retry, reason, entry, delay, now);
      metrics?.retried?.(key, failures, delay);
      return undefined;
    }
    if (next !== undefined) {
      // Added again while it ran: it runs for that, and the failure is one more reason.
      next.failures = failures;
      addReason(next, reason, maxReasons);
      return undefined;
    }
    const reasons = [...entry.reasons, reason].slice(-maxReasons);
    const letter = { key, reasons, failures, at: now };
    this.#dead.set(key, letter);
    return letter;
  }

  /** Gives out items at the end of this turn of the event loop, so that reasons added together arrive together. */
  #wakeTakers(): void {
    if (this.#wakingUp || this.#takers.isEmpty) return;
    this.#wakingUp = true;
    queueMicrotask(() => this.#giveOut());
  }

  #giveOut(): void {
    this.#wakingUp = false;
    while (!this.#takers.isEmpty) {
      const item = this.tryTake();
      if (item === undefined) break;
      this.#takers.give(item);
    }
    this.#setTimer();
  }

  /** Sets the timer for the next delay that ends, while a taker waits. A timer that fires early does no harm. */
  #setTimer(): void {
    const due = this.#backlog.nextDue;
    if (due >= this.#timerAt || this.#paused || this.#ended || this.#takers.isEmpty) return;
    this.#clearTimer();
    this.#timerAt = due;
    this.#timer = this.#clock.after(Math.max(0, due - this.#clock.now()), () => {
      this.#clearTimer();
      this.#giveOut();
    });
  }

  #clearTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  #end(): void {
    this.#ended = true;
    this.#clearTimer();
    this.#takers.end();
  }

  #resolveDrained(): void {
    if (this.#running.size > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

function checkFinite(value: number, name: string, key: string): void {
  if (Number.isFinite(value)) return;
  throw new RangeError(`${key} cannot be queued with ${name} ${value}: give a finite number`);
}

function checkDelay(delay: number, key: string): number {
  if (Number.isFinite(delay) && delay >= 0) return delay;
  throw new RangeError(
    `the limiter cannot let ${key} wait for ${delay}: it has to give a finite number of milliseconds, 0 or more`,
  );
}
