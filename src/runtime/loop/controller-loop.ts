import { tell } from "../../client/tell.js";
import { duration, formatDuration, fraction, type KubeObject } from "../../model/core.js";
import { AppliedChildren } from "../reconcile/children/write-children.js";
import { defaults, type Controller } from "../controller/controller.js";
import { exponentialBackoff, type RateLimiter } from "../queue/rate-limiter.js";
import { immediate } from "../queue/strategy.js";
import type { AddOptions, DeadLetter, Outcome, Work } from "../queue/work.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { Run, RunOutcome, Trigger } from "../runs/run.js";
import { HandOver } from "../reconcile/steps/steps.js";
import type { Dependencies } from "./dependencies.js";
import { ObjectRun, type RunEnd, type RunOptions } from "../reconcile/object-run.js";
import { RunSignals } from "../cancel/run-signals.js";
import { Sources } from "./sources.js";

/** How much a resync is spread, so that what began together does not stay together. */
const resyncSpread = 0.1;

/**
 * How many runs begin before the process gets round to other things. Runs that wait for nothing would otherwise follow each
 * other without an end, and no timer, socket or signal would ever be looked at.
 */
const runsPerTurn = 100;

/** For each key, what resolves when the function has ended. */
export type GoingOn = Map<string, Promise<unknown>>;

/**
 * One controller at work: sources fill the queue, and up to `concurrency` runs empty it. An object is never run twice at
 * once: its key is handed out again only after the run before has ended for good, also when that run was cancelled and its
 * function goes on regardless; only its place is given to others then.
 */
export class ControllerLoop {
  readonly controller: Controller;
  readonly queue: WorkQueue<Trigger>;
  readonly #dependencies: Dependencies;
  readonly #stopping = new AbortController();
  readonly #running = new Set<ObjectRun>();
  readonly #timeout: number;
  readonly #resyncing: { readonly every: number; readonly text: string } | undefined;
  #sources: Sources | undefined;
  #active = 0;
  /** Runs begun since the process last got round to other things. */
  #begun = 0;
  /** The run whose end the queue is being told of. */
  #ending = "";
  #pumping: Promise<void> | undefined;
  #slotFreed: () => void = () => {};
  readonly #whenQuiet: (() => void)[] = [];
  /** Functions that go on although their run was cancelled, by key; also those of earlier terms. */
  readonly #goingOn: GoingOn;

  constructor(controller: Controller, dependencies: Dependencies, goingOn: GoingOn = new Map()) {
    this.controller = controller;
    this.#dependencies = dependencies;
    const { timeout = defaults.timeout, resync = defaults.resync } = controller.options;
    this.#timeout = duration(timeout);
    if (resync !== false) {
      this.#resyncing = { every: duration(resync), text: `every ${formatDuration(duration(resync))}` };
    }
    this.#goingOn = goingOn;
    const { backoff = {}, limiter, strategy, fairBy } = controller.options;
    const usual = exponentialBackoff(backoff.base ?? defaults.base, backoff.max ?? defaults.max);
    this.queue = new WorkQueue<Trigger>({
      clock: dependencies.clock,
      limiter: limiter === undefined ? usual : this.#sound(limiter, usual),
      maxRetries: backoff.maxRetries,
      strategy:
        typeof strategy === "function"
          ? (change) => this.#ask("strategy", change.key, () => strategy(change), immediate)
          : strategy,
      fairBy: fairBy && ((key) => this.#ask("fairBy", key, () => fairBy(key, this.#known(key)), "")),
      // A log that fails must not keep the queue from going on.
      onDead: (letter) => tell("the log", () => this.#died(letter)),
      metrics: dependencies.queueObserver?.(controller.name),
    });
  }

  /** Resolves when everything it watches has been listed and work has begun. */
  async start(term: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([term, this.#stopping.signal]);
    const sources = await Sources.open(this.controller, this.#dependencies, signal);
    this.#sources = sources;
    sources.follow((key, trigger, options) => this.#add(key, trigger, options));
    this.#pumping = this.#pump(sources);
  }

  get isStarted(): boolean {
    return this.#pumping !== undefined;
  }

  /** How many objects are being worked on. */
  get active(): number {
    return this.#active;
  }

  /** How many functions go on although their run was cancelled. */
  get lingering(): number {
    return Math.max(0, this.queue.running - this.#active);
  }

  /** Whether no run is under way and none is due; what is paused is not. */
  get isIdle(): boolean {
    return this.queue.running === 0 && (this.queue.depth === 0 || this.queue.isPaused());
  }

  /** Resolves when it is. */
  async idle(): Promise<void> {
    while (!this.isIdle && !this.#stopping.signal.aborted)
      await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
  }

  get sources(): Sources {
    if (this.#sources === undefined)
      throw new Error(`controller ${this.controller.name} has not been started`);
    return this.#sources;
  }

  /** Looks at all objects that have become this process's: what happened to them before was told to another. */
  gain(isGained: (key: string) => boolean): void {
    const at = this.#dependencies.clock.now();
    this.#sources?.tell(isGained, { type: "shard", text: "shard gained", at });
  }

  /** Forgets what waits, of objects that are this process's no longer; what runs may come to its end. */
  forget(isLost: (key: string) => boolean): void {
    for (const { key } of this.queue.snapshot()) if (isLost(key)) this.queue.remove(key);
  }

  /** Cancels runs, of objects that others go on with. */
  cut(isLost: (key: string) => boolean, reason: string): void {
    for (const run of this.#running) if (isLost(run.key)) run.cancel(new HandOver(reason));
  }

  /** The objects that are being worked on, but for functions that were left to themselves. */
  *underWay(): Iterable<string> {
    for (const { key } of this.queue.runningKeys()) if (!this.#goingOn.has(key)) yield key;
  }

  /** Lets what runs come to its end, until `deadline` fires; then it is cancelled. Nothing new is begun. */
  async stop(deadline: AbortSignal, reason = "the process stops"): Promise<void> {
    const cut = (): void => {
      for (const run of this.#running) run.cancel(new HandOver(reason));
    };
    this.#stopping.abort(new HandOver(reason));
    if (deadline.aborted) cut();
    else deadline.addEventListener("abort", cut, { once: true });
    const drained = this.queue.drain();
    await this.#pumping;
    await Promise.all([...this.#running].map((run) => run.ended));
    deadline.removeEventListener("abort", cut);
    // Until here runs have read from the caches.
    this.#sources?.release();
    // What lingers after it was cancelled cannot be waited for: it may never end.
    this.queue.close();
    void drained;
    for (const resolve of this.#whenQuiet.splice(0)) resolve();
  }

  async #pump(sources: Sources): Promise<void> {
    const { concurrency = defaults.concurrency } = this.controller.options;
    const { signal } = this.#stopping;
    const options: RunOptions = {
      controller: this.controller,
      dependencies: this.#dependencies,
      access: this.#dependencies.accessOf(this.controller.name),
      applied: new AppliedChildren(),
      caches: sources,
      signals: new RunSignals(),
      timeout: this.#timeout,
    };
    while (!signal.aborted) {
      if (this.#active >= concurrency) {
        await new Promise<void>((resolve) => (this.#slotFreed = resolve));
        continue;
      }
      const work = this.queue.tryTake() ?? (await this.#next(signal));
      if (work === undefined) return;
      if (!this.#isOurs(work.key)) {
        this.queue.done(work, { type: "done" });
        this.#dependencies.ownership.workEnded();
        continue;
      }
      const before = this.#goingOn.get(work.key);
      if (before === undefined) this.#begin(work, options);
      else void before.then(() => this.#giveBack(work));
      if (this.#begun++ === 0) setImmediate(() => (this.#begun = 0));
      else if (this.#begun >= runsPerTurn) await new Promise(setImmediate);
    }
  }

  /** Waits for work; undefined once there will be none. */
  #next(signal: AbortSignal): Promise<Work<Trigger> | undefined> {
    return this.queue.take(signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  /** What could not begin, because a function of an earlier term went on, is due now and for the same reasons. */
  #giveBack(work: Work<Trigger>): void {
    const { key, reasons, priority } = work;
    for (const trigger of reasons) this.#add(key, trigger, { priority });
    this.queue.done(work, { type: "done" });
  }

  /** What is another process's to do is not kept: whoever is given an object looks at it anyway. */
  #add(key: string, trigger: Trigger, options?: AddOptions): void {
    if (this.#isOurs(key)) this.queue.add(key, trigger, options);
  }

  #isOurs(key: string): boolean {
    return this.#dependencies.ownership.owns(key);
  }

  #begin(work: Work<Trigger>, options: RunOptions): void {
    const run = new ObjectRun(options, work);
    this.#running.add(run);
    this.#active++;
    const finish = (end: RunEnd): void => {
      this.#running.delete(run);
      this.#active--;
      this.#slotFreed();
      this.#finish(work, end);
    };
    void run.ended.then(finish);
  }

  #finish(work: Work<Trigger>, { run, retryAfter, lingering }: RunEnd): void {
    const done = (): void => {
      const outcome = this.#outcome(run, retryAfter);
      // Another object may have taken the name already, and be waiting for its turn.
      const isGone = run.outcome.type === "gone" && this.#sources?.objects.get(work.key) === undefined;
      if (isGone) this.queue.remove(work.key);
      this.#ending = run.id;
      this.queue.done(work, outcome);
      if (!isGone) this.#keepDates(work, run.startedAt);
      if (this.isIdle) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    };
    if (lingering === undefined) {
      done();
      this.#dependencies.ownership.workEnded();
      return;
    }
    const facts = { controller: run.controller, object: `${run.kind} ${run.key}`, run: run.id };
    const text =
      "the function goes on although its run was cancelled: pass its signal on to what it waits for";
    tell("the log", () => this.#dependencies.log.error(facts, text));
    const doneAtLast = (): void => {
      this.#goingOn.delete(work.key);
      done();
    };
    this.#goingOn.set(work.key, lingering);
    void lingering.then(doneAtLast);
    this.#dependencies.ownership.workEnded();
  }

  /** A run that came earlier does not stand for one that somebody asked for at a certain time. */
  #keepDates({ key, reasons }: Work<Trigger>, startedAt: number): void {
    const now = this.#dependencies.clock.now();
    for (const trigger of reasons) {
      if (trigger.type !== "manual" || trigger.due === undefined || trigger.due <= startedAt) continue;
      this.#add(key, trigger, { after: trigger.due - now, type: "MANUAL" });
    }
  }

  #known(key: string): KubeObject | undefined {
    return this.#sources?.objects.get(key);
  }

  /** What a function of the controller's says; the queue must not fail with it. */
  #ask<T>(what: string, key: string, answer: () => T, otherwise: T): T {
    try {
      return answer();
    } catch (error) {
      const { name, options } = this.controller;
      const facts = { controller: name, object: `${options.for.kind} ${key}`, err: error };
      this.#dependencies.log.error(facts, `the ${what} failed`);
      return otherwise;
    }
  }

  #sound(limiter: RateLimiter, usual: RateLimiter): RateLimiter {
    return {
      delay: (key, failures, now) => {
        const delay = this.#ask("limiter", key, () => limiter.delay(key, failures, now), NaN);
        return Number.isFinite(delay) && delay >= 0 ? delay : usual.delay(key, failures, now);
      },
    };
  }

  #outcome({ outcome }: Run, retryAfter: number | undefined): Outcome<Trigger> {
    const at = this.#dependencies.clock.now();
    switch (outcome.type) {
      case "done":
        return this.#resync(at);
      case "gone":
      case "cancelled":
        return { type: "done" };
      case "requeue":
        return later(outcome.after, "requeue", outcome.reason, at);
      case "wait": {
        if (outcome.after === undefined) return this.#resync(at);
        const text = outcome.message === "" ? outcome.reason : `${outcome.reason}: ${outcome.message}`;
        return later(outcome.after, "requeue", text, at);
      }
      case "fail":
        return { type: "dead", reason: { type: "retry", text: said(outcome), at } };
      case "error":
        return { type: "retry", after: retryAfter, reason: { type: "retry", text: said(outcome), at } };
    }
  }

  #resync(at: number): Outcome<Trigger> {
    const resync = this.#resyncing;
    if (resync === undefined) return { type: "done" };
    const after = resync.every * (1 - resyncSpread + 2 * resyncSpread * fraction(this.#dependencies.random));
    return later(after, "resync", resync.text, at);
  }

  #died({ key, failures, reasons }: DeadLetter<Trigger>): void {
    const { log, recordEvent } = this.#dependencies;
    const { name, options } = this.controller;
    const last = reasons.at(-1)?.text ?? "";
    const facts = { controller: name, object: `${options.for.kind} ${key}`, run: this.#ending, failures };
    log.error(facts, `given up: ${last}`);
    const object: KubeObject | undefined = this.#sources?.objects.get(key);
    if (object !== undefined && failures > 0) {
      const times = failures === 1 ? "" : ` after failing ${failures} times`;
      const message = `not tried again${times} until something changes: ${last}`;
      recordEvent(name, object, "GivenUp", message, "Warning", this.#ending);
    }
  }
}

function later(after: number, type: "requeue" | "resync", text: string, at: number): Outcome<Trigger> {
  return { type: "again", after, reason: { type, text, at, due: at + after } };
}

function said(outcome: Extract<RunOutcome, { type: "fail" | "error" }>): string {
  return `${outcome.reason}: ${outcome.message}`;
}
