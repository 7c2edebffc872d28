import type { Client } from "../../client/client.js";
import type { Source } from "../../client/source/source.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import { callListener } from "../../client/async/call-listener.js";
import type { Transport } from "../../client/transport/transport.js";
import { formatDuration, newUid, type Clock, type KubeObject } from "../../model/core.js";
import type { RunSignals } from "../cancel/run-signals.js";
import type { Controller, DeclarativeOptions } from "../controller/controller.js";
import { joinKey } from "../controller/keys.js";
import { lazyChild, type Log } from "../log/log.js";
import { messageOf } from "../log/message-of.js";
import type { RunFacts } from "../observe/observer.js";
import type { QueueItem } from "../queue/queue-item.js";
import { recordingTransport, type WriteRecorder } from "../runs/recording-transport.js";
import type { Run, RunOutcome, StepRecord, Trigger, WriteRecord } from "../runs/run.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { AppliedChildren } from "./children/write-children.js";
import { describeEmitted } from "./emitted.js";
import { failedOutcome, retryAfterOf } from "./failure.js";
import { followClient } from "./followed-client.js";
import { runPlain } from "./plain-run.js";
import { reconcileObject, type RunResult } from "./reconcile-object.js";
import type { ControllerAccess, Caches, RunContext, RunDependencies } from "./run-context.js";
import { HandOver, Steps } from "./steps/steps.js";

/** Options that all runs of a controller share. */
export interface RunOptions {
  readonly controller: Controller;
  readonly dependencies: RunDependencies;
  readonly access: ControllerAccess;
  readonly applied: AppliedChildren;
  readonly caches: Caches;
  readonly signals: RunSignals;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A run that is over and recorded. */
export interface RunEnd extends Omit<RunResult, "outcome" | "staged"> {
  readonly run: Run;
}

/** Writes of one run that are kept in its record. */
const maxWrites = 200;

const noSteps: readonly StepRecord[] = [];

/** Reason of a run's signal when its time is up. */
class RunTimeout extends Error {
  override readonly name = "RunTimeout";
}

/**
 * One run of a controller for one object, from the queue item to the record. Rejects never. It is also the context of that
 * run; parts that only some runs need are made on first use, as there is one of these per run.
 */
export class ObjectRun implements RunContext, WriteRecorder {
  readonly facts: RunFacts;
  readonly #options: RunOptions;
  readonly #item: QueueItem<Trigger>;
  readonly #cancelled: AbortController;
  readonly #writes: WriteRecord[] = [];
  #droppedWrites = 0;
  #ended: Promise<RunEnd> | undefined;
  #traceId: string | undefined;
  #signalExposed = false;
  #log: Log | undefined;
  #steps: Steps | undefined;
  #transport: Transport | undefined;

  constructor(options: RunOptions, item: QueueItem<Trigger>) {
    const { controller, dependencies, signals } = options;
    this.#options = options;
    this.#item = item;
    this.#cancelled = signals.take();
    this.facts = {
      controller: controller.name,
      kind: controller.options.for.kind,
      key: item.key,
      runId: newUid(dependencies.random),
    };
  }

  /** Starts the run; resolves when it is over and recorded. */
  get ended(): Promise<RunEnd> {
    this.#ended ??= this.#run();
    return this.#ended;
  }

  get key(): string {
    return this.facts.key;
  }

  cancel(reason: unknown): void {
    this.#cancelled.abort(reason);
  }

  async #run(): Promise<RunEnd> {
    const { caches, timeout } = this.#options;
    const { clock } = this;
    try {
      const startedAt = clock.now();
      const object = caches.objects.get(this.key);
      const timer = clock.after(timeout, () =>
        this.cancel(new RunTimeout(`the run took longer than its timeout of ${formatDuration(timeout)}`)),
      );
      const result = await this.#observed(object);
      timer.cancel();
      return this.#finish(object, startedAt, result);
    } catch (error) {
      // A log, a metric or a trace failed: that must not stop the loop.
      return { run: this.#record(undefined, clock.now(), { outcome: failedOutcome(error, this.signal) }) };
    }
  }

  #observed(object: KubeObject | undefined): Promise<RunResult> {
    const { observer } = this.#options.dependencies;
    observer.started?.(this.facts);
    if (observer.around === undefined) return this.#reconcile(object);
    return observer.around(this.facts, (traceId) => {
      this.#traceId = traceId;
      return this.#reconcile(object);
    });
  }

  async #reconcile(object: KubeObject | undefined): Promise<RunResult> {
    const { controller, dependencies, caches } = this.#options;
    try {
      dependencies.ownership.guard(this.key);
      if (controller.style.type === "plain")
        return await runPlain(this, controller.style.reconcile, this.key, caches.objects);
      return object === undefined ? { outcome: { type: "gone" } } : await reconcileObject(this, object);
    } catch (error) {
      return { outcome: failedOutcome(error, this.signal), retryAfter: retryAfterOf(error) };
    }
  }

  /** Records the run, and reports it to log, events and observers. */
  #finish(object: KubeObject | undefined, startedAt: number, result: RunResult): RunEnd {
    const { dependencies, signals } = this.#options;
    const { observer } = dependencies;
    const { outcome, retryAfter, lingering } = result;
    const run = this.#record(object, startedAt, result);
    // A log that throws must not lose the record of the run.
    callListener("the log", () => this.#logRun(run));
    // A dead letter has an event of its own, and a run that asked for a requeue has not failed.
    if (object !== undefined && outcome.type === "error" && outcome.reason !== "Requeue") {
      this.recordEvent(object, outcome.reason, outcome.message, "Warning");
    }
    dependencies.record(run);
    observer.ended?.(run, this.facts);
    if (lingering !== undefined) observer.lingering?.(this.facts);
    if (outcome.type === "done" && !this.#signalExposed) signals.giveBack(this.#cancelled);
    return { run, retryAfter, lingering };
  }

  #record(object: KubeObject | undefined, startedAt: number, { outcome }: RunResult): Run {
    const { controller, kind, key, runId } = this.facts;
    const { reasons, dropped, due, failures } = this.#item;
    return {
      id: runId,
      controller,
      user: this.#options.access.user,
      apiVersion: this.#options.controller.options.for.apiVersion,
      kind,
      key,
      uid: object?.metadata.uid,
      generation: object?.metadata.generation,
      // What is due later has not caused this run.
      triggers: reasons.filter((trigger) => trigger.due === undefined || trigger.due <= startedAt),
      droppedTriggers: dropped,
      wait: Math.max(0, startedAt - due),
      startedAt,
      duration: this.clock.now() - startedAt,
      failures,
      steps: this.#steps?.records ?? noSteps,
      writes: this.#writes,
      droppedWrites: this.#droppedWrites,
      outcome,
      ...(this.#isGivenUp(outcome) && { givenUp: true }),
      ...(this.signal.reason instanceof RunTimeout && { timedOut: true }),
      traceId: this.#traceId,
    };
  }

  /** Whether the queue makes a dead letter of a run with this outcome. */
  #isGivenUp({ type }: RunOutcome): boolean {
    const { maxRetries = Infinity } = this.#options.controller.options.backoff ?? {};
    return type === "fail" || (type === "error" && this.#item.failures >= maxRetries);
  }

  /** Logs a run: a failure is one line at level warn, or error when it is not retried. */
  #logRun({ outcome, duration, wait, failures, givenUp, writes, triggers }: Run): void {
    const { log } = this;
    const failed = outcome.type === "error" || outcome.type === "fail";
    if (!failed && log.isLevelEnabled?.("debug") === false) return;
    const facts = { outcome: outcome.type, duration, writes: writes.length, triggers: triggers.length };
    if (!failed) return log.debug(facts, "reconciled");
    const { reason, message } = outcome;
    const failure = { ...facts, reason, wait, failures: failures + 1 };
    if (givenUp === true) log.error(failure, `given up: ${message}`);
    else log.warn(failure, message);
  }

  // The context of the run.

  get options(): DeclarativeOptions {
    const { style } = this.#options.controller;
    if (style.type !== "declarative") throw new TypeError("a plain controller has no declarative options");
    return style.options;
  }

  get controllerName(): string {
    return this.facts.controller;
  }

  get runId(): string {
    return this.facts.runId;
  }

  get clock(): Clock {
    return this.#options.dependencies.clock;
  }

  get applied(): AppliedChildren {
    return this.#options.applied;
  }

  get log(): Log {
    this.#log ??= lazyChild(this.#options.dependencies.log, () => ({
      controller: this.facts.controller,
      object: `${this.facts.kind} ${this.facts.key}`,
      run: this.facts.runId,
    }));
    return this.#log;
  }

  /** The kind of the object; a `resource()` has more information than the server's discovery. */
  get kind(): KindInfo {
    const { controller, caches } = this.#options;
    return "versions" in controller.options.for ? controller.options.for : caches.kind;
  }

  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  exposeSignal(): AbortSignal {
    this.#signalExposed = true;
    return this.#cancelled.signal;
  }

  get steps(): Steps {
    const { clock, observer, breaker } = this.#options.dependencies;
    this.#steps ??= new Steps({
      clock,
      signal: this.exposeSignal(),
      breaker,
      around:
        observer.aroundStep && ((name, body) => observer.aroundStep?.(this.facts, name, body) ?? body()),
    });
    return this.#steps;
  }

  get lingering(): Promise<unknown> | undefined {
    return this.#steps?.lingering;
  }

  get transport(): Transport {
    this.#transport ??= recordingTransport(this.#options.access.transport, this);
    return this.#transport;
  }

  client(): Client {
    const client = this.#options.access.clientOver(this.transport);
    return followClient(client, (call, error) =>
      callListener("the log", () =>
        this.log.warn({ err: error }, `${call} was not awaited, and failed: ${messageOf(error)}`),
      ),
    );
  }

  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source {
    return this.#options.caches.cacheOf(kind);
  }

  recordEvent(object: KubeObject, reason: string, message: string, type: "Normal" | "Warning"): void {
    const { controller, runId } = this.facts;
    this.#options.dependencies.recordEvent(controller, object, reason, message, type, runId);
  }

  enqueue(...request: Parameters<RunContext["enqueue"]>): void {
    this.#options.dependencies.enqueue(...request);
  }

  async publish(object: KubeObject | undefined, events: readonly EventInput[]): Promise<void> {
    if (events.length === 0) return;
    const { publish } = this.#options.dependencies;
    if (publish === undefined) {
      throw new Error(
        "emit() needs a control plane or an operator: start the controllers with controlPlane() or operator()",
      );
    }
    await publish(events.map((event) => describeEmitted(event, this.facts, object, this.#item.reasons)));
  }

  // The recording of its writes.

  guard(): void {
    // After a hand-over another run continues, be it in another process or in the next term of this one.
    const { reason } = this.#cancelled.signal as { reason: unknown };
    if (reason instanceof HandOver) throw reason;
    this.#options.dependencies.ownership.guard(this.facts.key);
  }

  before(kind: KindInfo, namespace: string, name: string): KubeObject | null | undefined {
    try {
      return this.cacheOf(kind).get(joinKey(namespace, name)) ?? null;
    } catch {
      return undefined;
    }
  }

  wrote(record: WriteRecord): void {
    // The last write is always kept: it shows how the run ended.
    if (this.#writes.length === maxWrites) {
      this.#writes.pop();
      this.#droppedWrites++;
    }
    this.#writes.push(record);
  }

  get around(): WriteRecorder["around"] {
    const { observer } = this.#options.dependencies;
    return (
      observer.aroundWrite && ((write, body) => observer.aroundWrite?.(this.facts, write, body) ?? body())
    );
  }
}
