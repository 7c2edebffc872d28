import { callListener } from "../../client/async/call-listener.js";
import { duration, formatDuration, fraction, type KubeObject } from "../../model/core.js";
import { AppliedChildren } from "../reconcile/children/write-children.js";
import { defaults, type Controller } from "../controller/controller.js";
import { exponentialBackoff, type RateLimiter } from "../queue/rate-limiter.js";
import { immediate } from "../queue/strategy.js";
import type { AddOptions, DeadLetter, QueueOutcome, QueueItem } from "../queue/queue-item.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { Run, RunOutcome, Trigger } from "../runs/run.js";
import { HandOver } from "../reconcile/steps/steps.js";
import type { Dependencies } from "./dependencies.js";
import { ObjectRun, type RunEnd, type RunOptions } from "../reconcile/object-run.js";
import { RunSignals } from "../cancel/run-signals.js";
import { Sources } from "./sources.js";

/** Random spread of resyncs, so that objects created together are not reconciled together for ever. */
const resyncSpread = 0.1;

/**
 * Runs that start before the loop yields to the event loop. Runs that await no I/O would otherwise starve timers, sockets and
 * signals.
 */
const runsPerTurn = 100;

/** Functions that ignored their signal and have not ended, by key. */
export type Lingering = Map<string, Promise<unknown>>;

/**
 * Work loop of one controller: sources fill the queue, and up to `concurrency` runs empty it. Runs of one object never overlap:
 * its key is handed out again only after the function of its last run has ended, even if that run was cancelled and the
 * function ignores its signal; only its slot is given to other objects then.
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
  /** Runs started since the loop last yielded. */
  #startedInTurn = 0;
  /** Id of the run whose outcome is being passed to the queue, for `#reportDeadLetter`. */
  #ending = "";
  #taking: Promise<void> | undefined;
  #slotFreed: () => void = () => {};
  readonly #whenIdle: (() => void)[] = [];
  /** Functions that ignored their signal, also those of earlier terms. */
  readonly #lingering: Lingering;
  /** Called with every change of an object: whether its annotation pauses it. */
  readonly #hold: (key: string, isPaused: boolean) => void;

  constructor(
    controller: Controller,
    dependencies: Dependencies,
    lingering: Lingering = new Map(),
    hold: (key: string, isPaused: boolean) => void = () => {},
  ) {
    this.#hold = hold;
    this.controller = controller;
    this.#dependencies = dependencies;
    const { timeout = defaults.timeout, resync = defaults.resync } = controller.options;
    this.#timeout = duration(timeout);
    if (resync !== false) {
      this.#resyncing = { every: duration(resync), text: `every ${formatDuration(duration(resync))}` };
    }
    this.#lingering = lingering;
    const { backoff = {}, limiter, strategy, fairnessKey } = controller.options;
    const usual = exponentialBackoff(
      backoff.base ?? defaults.base,
      backoff.max ?? defaults.max,
      backoff.factor,
    );
    this.queue = new WorkQueue<Trigger>({
      clock: dependencies.clock,
      limiter: limiter === undefined ? usual : this.#checked(limiter, usual),
      maxRetries: backoff.maxRetries,
      strategy:
        typeof strategy === "function"
          ? (change) =>
              this.#attempt(
                "strategy",
                change.key,
                () => strategy({ ...change, object: this.#cached(change.key) }),
                immediate,
              )
          : strategy,
      fairnessKey:
        fairnessKey &&
        ((key) => this.#attempt("fairnessKey", key, () => fairnessKey(key, this.#cached(key)), "")),
      // A recorder that throws must not stop the queue.
      onDead: (letter) => callListener("the event recorder", () => this.#reportDeadLetter(letter)),
      metrics: dependencies.queueObserver?.(controller.name),
    });
  }

  /** Resolves when everything watched has been listed and runs start. */
  async start(term: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([term, this.#stopping.signal]);
    const sources = await Sources.open(this.controller, this.#dependencies, signal);
    this.#sources = sources;
    sources.follow((key, trigger, options) => this.#add(key, trigger, options), this.#hold);
    this.#taking = this.#takeItems(sources);
  }

  get isStarted(): boolean {
    return this.#taking !== undefined;
  }

  /** Runs that have not ended. */
  get active(): number {
    return this.#active;
  }

  /** Functions that ignore that their run was cancelled. */
  get lingering(): number {
    return Math.max(0, this.queue.running - this.#active);
  }

  /** Whether no run is active and none is due; paused objects are not due. */
  get isIdle(): boolean {
    return this.queue.running === 0 && (this.queue.depth === 0 || this.queue.isPaused());
  }

  /** Resolves when the loop is idle, or stopping. */
  async idle(): Promise<void> {
    while (!this.isIdle && !this.#stopping.signal.aborted)
      await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  get sources(): Sources {
    if (this.#sources === undefined)
      throw new Error(`controller ${this.controller.name} has not been started`);
    return this.#sources;
  }

  /** Enqueues objects that this process has gained: their earlier changes went to another process. */
  gain(isGained: (key: string) => boolean): void {
    const at = this.#dependencies.clock.now();
    this.#sources?.enqueueExisting(isGained, { type: "shard", text: "shard gained", at });
  }

  /** Enqueues all objects that this process owns and no predicate excludes. Returns how many. */
  enqueueAll(trigger: Trigger): number {
    return this.sources.enqueueExisting((key) => this.#owns(key), trigger);
  }

  /** Removes objects from the queue that this process no longer owns; active runs may end. */
  release(isLost: (key: string) => boolean): void {
    for (const { key } of this.queue.snapshot()) if (isLost(key)) this.queue.remove(key);
  }

  /** Cancels runs of objects that another process continues with. */
  cancel(isLost: (key: string) => boolean, reason: string): void {
    for (const run of this.#running) if (isLost(run.key)) run.cancel(new HandOver(reason));
  }

  /** Keys of active runs, without those whose function ignored its signal. */
  *activeKeys(): Iterable<string> {
    for (const { key } of this.queue.runningKeys()) if (!this.#lingering.has(key)) yield key;
  }

  /** Starts no more runs; waits for active ones until `deadline` aborts, and cancels them then. */
  async stop(deadline: AbortSignal, reason = "the process stops"): Promise<void> {
    const cancel = (): void => {
      for (const run of this.#running) run.cancel(new HandOver(reason));
    };
    this.#stopping.abort(new HandOver(reason));
    if (deadline.aborted) cancel();
    else deadline.addEventListener("abort", cancel, { once: true });
    const drained = this.queue.drain();
    await this.#taking;
    await Promise.all([...this.#running].map((run) => run.ended));
    deadline.removeEventListener("abort", cancel);
    // Runs read from the caches, so these are released after them.
    this.#sources?.release();
    // Functions that ignore their signal are not waited for: they may never end.
    this.queue.close();
    void drained;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #takeItems(sources: Sources): Promise<void> {
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
      if (!this.#owns(work.key)) {
        this.queue.done(work, { type: "done" });
        this.#dependencies.ownership.workEnded();
        continue;
      }
      const before = this.#lingering.get(work.key);
      if (before === undefined) this.#begin(work, options);
      else void before.then(() => this.#enqueueAgain(work));
      if (this.#startedInTurn++ === 0) setImmediate(() => (this.#startedInTurn = 0));
      else if (this.#startedInTurn >= runsPerTurn) await new Promise(setImmediate);
    }
  }

  /** Waits for the next item; undefined when the loop stops. */
  #next(signal: AbortSignal): Promise<QueueItem<Trigger> | undefined> {
    return this.queue.take(signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  /** Enqueues again an item that had to wait for a function of an earlier term. */
  #enqueueAgain(work: QueueItem<Trigger>): void {
    const { key, reasons, priority } = work;
    for (const trigger of reasons) this.#add(key, trigger, { priority });
    this.queue.done(work, { type: "done" });
  }

  /** Drops keys that this process does not own: their owner, present or future, is triggered on its own. */
  #add(key: string, trigger: Trigger, options?: AddOptions): void {
    if (this.#owns(key)) this.queue.add(key, trigger, options);
  }

  #owns(key: string): boolean {
    return this.#dependencies.ownership.owns(key);
  }

  #begin(work: QueueItem<Trigger>, options: RunOptions): void {
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

  #finish(work: QueueItem<Trigger>, { run, retryAfter, lingering }: RunEnd): void {
    const done = (): void => {
      const outcome = this.#outcome(run, retryAfter);
      // Another object of the same name may be queued already.
      const isGone = run.outcome.type === "gone" && this.#sources?.objects.get(work.key) === undefined;
      if (isGone) this.queue.remove(work.key);
      this.#ending = run.id;
      this.queue.done(work, outcome);
      if (!isGone) this.#keepFutureTriggers(work, run.startedAt);
      if (this.isIdle) for (const resolve of this.#whenIdle.splice(0)) resolve();
    };
    if (lingering === undefined) {
      done();
      this.#dependencies.ownership.workEnded();
      return;
    }
    const facts = { controller: run.controller, object: `${run.kind} ${run.key}`, run: run.id };
    const text = "a reconciler ignores the cancellation of its run: pass its signal to everything it awaits";
    callListener("the log", () => this.#dependencies.log.error(facts, text));
    const doneAtLast = (): void => {
      this.#lingering.delete(work.key);
      done();
    };
    this.#lingering.set(work.key, lingering);
    void lingering.then(doneAtLast);
    this.#dependencies.ownership.workEnded();
  }

  /** Keeps manual triggers for a later time, which an earlier run does not satisfy. */
  #keepFutureTriggers({ key, reasons }: QueueItem<Trigger>, startedAt: number): void {
    const now = this.#dependencies.clock.now();
    for (const trigger of reasons) {
      if (trigger.type !== "manual" || trigger.due === undefined || trigger.due <= startedAt) continue;
      this.#add(key, trigger, { after: trigger.due - now, type: "MANUAL" });
    }
  }

  #cached(key: string): KubeObject | undefined {
    return this.#sources?.objects.get(key);
  }

  /** Calls a function of the controller; logs its error and returns `otherwise` if it throws. */
  #attempt<T>(what: string, key: string, answer: () => T, otherwise: T): T {
    try {
      return answer();
    } catch (error) {
      const { name, options } = this.controller;
      const facts = { controller: name, object: `${options.for.kind} ${key}`, err: error };
      this.#dependencies.log.error(facts, `the ${what} failed`);
      return otherwise;
    }
  }

  #checked(limiter: RateLimiter, usual: RateLimiter): RateLimiter {
    return {
      delay: (key, failures, now) => {
        const delay = this.#attempt("limiter", key, () => limiter.delay(key, failures, now), NaN);
        return Number.isFinite(delay) && delay >= 0 ? delay : usual.delay(key, failures, now);
      },
    };
  }

  #outcome({ outcome }: Run, retryAfter: number | undefined): QueueOutcome<Trigger> {
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
        return { type: "dead", reason: { type: "retry", text: failureText(outcome), at } };
      case "error":
        return {
          type: "retry",
          after: retryAfter,
          reason: { type: "retry", text: failureText(outcome), at },
        };
    }
  }

  #resync(at: number): QueueOutcome<Trigger> {
    const resync = this.#resyncing;
    if (resync === undefined) return { type: "done" };
    const after = resync.every * (1 - resyncSpread + 2 * resyncSpread * fraction(this.#dependencies.random));
    return later(after, "resync", resync.text, at);
  }

  /** Records the event of a dead letter; its run has logged the failure. */
  #reportDeadLetter({ key, failures, reasons }: DeadLetter<Trigger>): void {
    const last = reasons.at(-1)?.text ?? "";
    const object: KubeObject | undefined = this.#sources?.objects.get(key);
    if (object !== undefined && failures > 0) {
      const times = failures === 1 ? "" : ` after failing ${failures} times`;
      const message = `not tried again${times} until something changes: ${last}`;
      this.#dependencies.recordEvent(
        this.controller.name,
        object,
        "GivenUp",
        message,
        "Warning",
        this.#ending,
      );
    }
  }
}

function later(after: number, type: "requeue" | "resync", text: string, at: number): QueueOutcome<Trigger> {
  return { type: "requeue", after, reason: { type, text, at, due: at + after } };
}

function failureText(outcome: Extract<RunOutcome, { type: "fail" | "error" }>): string {
  return `${outcome.reason}: ${outcome.message}`;
}
