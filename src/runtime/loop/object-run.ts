import { duration, formatDuration, newUid, type KubeObject } from "../../model/core.js";
import type { AppliedChildren } from "../children/write-children.js";
import type { Controller } from "../controller.js";
import { lazyChild, type Log } from "../observe/log.js";
import type { RunFacts } from "../observe/observer.js";
import type { PlainReconcile } from "../plain.js";
import { failureOf, retryAfterOf, runProse, type ProseEnd } from "../prose/prose-run.js";
import type { Work } from "../queue/work.js";
import { recordingTransport } from "../runs/recording-transport.js";
import type { Run, Trigger, WriteRecord } from "../runs/run.js";
import { HandOver, Steps } from "../steps/steps.js";
import type { RunTools } from "../tools.js";
import type { Dependencies } from "./dependencies.js";
import { read, readAll } from "./cache-reads.js";
import { cancellable } from "./cancellable.js";
import { joinKey, splitKey } from "./keys.js";
import type { Sources } from "./sources.js";

export interface ObjectRunOptions {
  readonly controller: Controller;
  readonly dependencies: Dependencies;
  readonly applied: AppliedChildren;
  readonly sources: Sources;
  readonly work: Work<Trigger>;
  readonly timeout: number;
}

export interface RunEnd {
  readonly run: Run;
  readonly retryAfter?: number | undefined;
  readonly lingering?: Promise<unknown> | undefined;
}

type End = Pick<ProseEnd, "outcome" | "retryAfter" | "lingering">;

/** A run's time is up. */
class RunTimeout extends Error {
  override readonly name = "RunTimeout";
}

/** How many writes of one run are kept in its record. */
const mostWrites = 200;

/** One run of a controller for one object: from being taken from the queue to its record. Never fails itself. */
export class ObjectRun {
  /** Resolves when the run is over and recorded. */
  readonly ended: Promise<RunEnd>;
  readonly #options: ObjectRunOptions;
  readonly #cancelled = new AbortController();
  readonly #writes: WriteRecord[] = [];
  readonly #facts: RunFacts;
  #end: (end: RunEnd) => void = () => {};

  constructor(options: ObjectRunOptions) {
    this.#options = options;
    const { controller, dependencies, work } = options;
    this.#facts = {
      controller: controller.name,
      kind: controller.options.for.kind,
      key: work.key,
      runId: newUid(dependencies.random),
    };
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get key(): string {
    return this.#options.work.key;
  }

  start(): void {
    this.#run().then(this.#end, (error: unknown) => this.#end(this.#broken(error)));
  }

  /** A log, a metric or a trace failed: that must not stop the loop. */
  #broken(error: unknown): RunEnd {
    const { dependencies, work } = this.#options;
    const { runId: id, ...facts } = this.#facts;
    const at = dependencies.clock.now();
    const run: Run = {
      id,
      ...facts,
      triggers: work.reasons,
      droppedTriggers: work.dropped,
      wait: 0,
      startedAt: at,
      duration: 0,
      failures: work.failures,
      steps: [],
      writes: this.#writes,
      outcome: failureOf(error, this.#cancelled.signal),
    };
    return { run };
  }

  cancel(reason: unknown): void {
    this.#cancelled.abort(reason);
  }

  async #run(): Promise<RunEnd> {
    const { controller, dependencies, sources, work, timeout } = this.#options;
    const { clock, observer } = dependencies;
    const startedAt = clock.now();
    const object = sources.objects.get(work.key);
    const timer = clock.after(timeout, () =>
      this.cancel(new RunTimeout(`the run took longer than its timeout of ${formatDuration(timeout)}`)),
    );
    const log = lazyChild(dependencies.log, () => ({
      controller: controller.name,
      object: `${this.#facts.kind} ${work.key}`,
      run: this.#facts.runId,
    }));
    const steps = new Steps({
      clock,
      signal: this.#cancelled.signal,
      breaker: (name) => dependencies.breaker(name),
      around:
        observer.aroundStep && ((name, body) => observer.aroundStep?.(this.#facts, name, body) ?? body()),
    });
    observer.started?.(this.#facts);
    let traceId: string | undefined;
    const body = async (trace: string | undefined): Promise<End> => {
      traceId = trace;
      try {
        dependencies.guard?.(work.key);
        return await (controller.style.type === "plain"
          ? this.#runPlain(controller.style.reconcile, log)
          : this.#runProse(object, steps, log));
      } catch (error) {
        return { outcome: failureOf(error, this.#cancelled.signal), retryAfter: retryAfterOf(error) };
      }
    };
    const end = await (observer.around?.(this.#facts, body) ?? body(undefined));
    timer.cancel();
    const run: Run = {
      id: this.#facts.runId,
      controller: controller.name,
      kind: this.#facts.kind,
      key: work.key,
      generation: object?.metadata.generation,
      triggers: causes(work.reasons, startedAt),
      droppedTriggers: work.dropped,
      wait: Math.max(0, startedAt - work.due),
      startedAt,
      duration: clock.now() - startedAt,
      failures: work.failures,
      steps: steps.records,
      writes: this.#writes,
      outcome: end.outcome,
      ...(this.#cancelled.signal.reason instanceof RunTimeout && { timedOut: true }),
      traceId,
    };
    tell(log, run);
    // One that is given up has an event of its own.
    if (object !== undefined && end.outcome.type === "error") {
      dependencies.note(controller.name, object, end.outcome.reason, end.outcome.message, "Warning");
    }
    dependencies.record(run);
    observer.ended?.(run, this.#facts);
    if (end.lingering !== undefined) observer.lingering?.(this.#facts);
    return { run, retryAfter: end.retryAfter, lingering: end.lingering };
  }

  async #runProse(object: KubeObject | undefined, steps: Steps, log: Log): Promise<End> {
    const { controller, dependencies, applied, sources } = this.#options;
    if (object === undefined) return { outcome: { type: "gone" } };
    if (controller.style.type !== "prose") throw new TypeError("a plain controller has no words");
    const transport = this.#transport();
    return runProse(
      {
        options: controller.style.options,
        controllerName: controller.name,
        runId: this.#facts.runId,
        clock: dependencies.clock,
        transport,
        client: () => dependencies.clientOver(transport),
        signal: this.#cancelled.signal,
        log,
        steps,
        applied,
        cacheOf: (kind) => sources.cacheOf(kind),
        // A resource() knows more of itself than the server's discovery tells.
        kind: "versions" in controller.options.for ? controller.options.for : sources.kind,
        note: (about, reason, message, type) =>
          dependencies.note(controller.name, about, reason, message, type),
        onDrift: (child, current) => dependencies.drift?.(controller.name, object, child, current),
        planning: false,
      },
      object,
    );
  }

  async #runPlain(reconcile: PlainReconcile, log: Log): Promise<End> {
    const { controller, dependencies, sources, work } = this.#options;
    const { signal } = this.#cancelled;
    const transport = this.#transport();
    const request = splitKey(work.key);
    const cacheOf = (kind: { readonly apiVersion: string; readonly kind: string }) => sources.cacheOf(kind);
    const tools: RunTools = {
      get client() {
        return dependencies.clientOver(transport);
      },
      signal,
      log,
      runId: this.#facts.runId,
      now: () => dependencies.clock.now(),
      read: (kind, which) => read(cacheOf, kind, which, request.namespace),
      readAll: (kind, by) => readAll(cacheOf, kind, by),
      note(reason, message, type = "Normal") {
        const object = sources.objects.get(work.key);
        if (object !== undefined) dependencies.note(controller.name, object, reason, message, type);
      },
    };
    const end = await cancellable(dependencies.clock, signal, () => reconcile(request, tools));
    if (!end.ok)
      return {
        outcome: failureOf(end.error, signal),
        retryAfter: retryAfterOf(end.error),
        lingering: end.lingering,
      };
    signal.throwIfAborted();
    const result = end.value ?? undefined;
    if (result?.requeueAfter !== undefined) {
      return { outcome: { type: "again", after: duration(result.requeueAfter), reason: "requeueAfter" } };
    }
    if (result?.requeue)
      return { outcome: { type: "error", reason: "Requeue", message: "asked to be tried again" } };
    const isGone = sources.objects.get(work.key) === undefined;
    return { outcome: { type: isGone ? "gone" : "done" } };
  }

  /** The way to the API for this run: what it writes is recorded, and nothing is written that must not be. */
  #transport() {
    const { dependencies, sources, work } = this.#options;
    const { observer } = dependencies;
    return recordingTransport(dependencies.transport, {
      clock: dependencies.clock,
      around:
        observer.aroundWrite && ((write, body) => observer.aroundWrite?.(this.#facts, write, body) ?? body()),
      guard: () => {
        // Somebody else goes on from here, be it this process in its next term.
        const { reason } = this.#cancelled.signal as { reason: unknown };
        if (reason instanceof HandOver) throw reason;
        dependencies.guard?.(work.key);
      },
      before: (kind, namespace, name) => {
        try {
          return sources.cacheOf(kind).get(joinKey(namespace, name));
        } catch {
          return undefined;
        }
      },
      wrote: (record) => {
        if (this.#writes.length < mostWrites) this.#writes.push(record);
      },
    });
  }
}

/** What was meant for later has not caused a run that came earlier. */
function causes(triggers: readonly Trigger[], startedAt: number): readonly Trigger[] {
  return triggers.filter(({ due }) => due === undefined || due <= startedAt);
}

function tell(log: Log, { outcome, duration: took, writes, triggers }: Run): void {
  const failed = outcome.type === "error" || outcome.type === "fail";
  if (!failed && log.isLevelEnabled?.("debug") === false) return;
  const facts = { outcome: outcome.type, duration: took, writes: writes.length, triggers: triggers.length };
  if (failed) log.warn({ ...facts, reason: outcome.reason }, outcome.message);
  else log.debug(facts, "reconciled");
}
