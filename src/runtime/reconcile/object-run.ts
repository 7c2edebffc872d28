import { duration, formatDuration, type KubeObject } from "../../model/core.js";
import type { Log } from "../log/log.js";
import type { PlainReconcile } from "../controller/plain.js";
import { failureOf, retryAfterOf, runProse, type ProseEnd } from "./prose-run.js";
import type { Work } from "../queue/work.js";
import type { Run, Trigger } from "../runs/run.js";
import type { RunTools } from "../controller/reconcile-context.js";
import { read, readAll } from "./cache-reads.js";
import { cancellable } from "../cancel/cancellable.js";
import { splitKey } from "../controller/keys.js";
import { RunScope, type RunOptions } from "./run-scope.js";

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

/** One run of a controller for one object: from being taken from the queue to its record. Never fails itself. */
export class ObjectRun {
  readonly #options: RunOptions;
  readonly #scope: RunScope;
  #ended: Promise<RunEnd> | undefined;
  #traceId: string | undefined;

  constructor(options: RunOptions, work: Work<Trigger>) {
    this.#options = options;
    this.#scope = new RunScope(options, work);
  }

  /** Resolves when the run is over and recorded. */
  get ended(): Promise<RunEnd> {
    this.#ended ??= this.#run();
    return this.#ended;
  }

  get key(): string {
    return this.#scope.facts.key;
  }

  /** A log, a metric or a trace failed: that must not stop the loop. */
  #broken(error: unknown): RunEnd {
    const { work, writes, droppedWrites, signal } = this.#scope;
    const { runId: id, ...facts } = this.#scope.facts;
    const at = this.#scope.clock.now();
    const run: Run = {
      id,
      ...facts,
      apiVersion: this.#options.controller.options.for.apiVersion,
      triggers: work.reasons,
      droppedTriggers: work.dropped,
      wait: 0,
      startedAt: at,
      duration: 0,
      failures: work.failures,
      steps: [],
      writes,
      droppedWrites,
      outcome: failureOf(error, signal),
    };
    return { run };
  }

  cancel(reason: unknown): void {
    this.#scope.cancel(reason);
  }

  async #run(): Promise<RunEnd> {
    const { dependencies, sources, timeout } = this.#options;
    const { clock } = dependencies;
    try {
      const startedAt = clock.now();
      const object = sources.objects.get(this.key);
      const timer = clock.after(timeout, () =>
        this.cancel(new RunTimeout(`the run took longer than its timeout of ${formatDuration(timeout)}`)),
      );
      const end = await this.#observed(object);
      timer.cancel();
      return this.#concluded(object, startedAt, end);
    } catch (error) {
      return this.#broken(error);
    }
  }

  #observed(object: KubeObject | undefined): Promise<End> {
    const { observer } = this.#options.dependencies;
    const { facts } = this.#scope;
    observer.started?.(facts);
    if (observer.around === undefined) return this.#work(object);
    return observer.around(facts, (trace) => {
      this.#traceId = trace;
      return this.#work(object);
    });
  }

  /** Tells everybody of a run that is over. */
  #concluded(object: KubeObject | undefined, startedAt: number, end: End): RunEnd {
    const scope = this.#scope;
    const { dependencies } = this.#options;
    const { clock, observer } = dependencies;
    const { work, facts } = scope;
    const run: Run = {
      id: facts.runId,
      controller: facts.controller,
      apiVersion: this.#options.controller.options.for.apiVersion,
      kind: facts.kind,
      key: facts.key,
      generation: object?.metadata.generation,
      triggers: causes(work.reasons, startedAt),
      droppedTriggers: work.dropped,
      wait: Math.max(0, startedAt - work.due),
      startedAt,
      duration: clock.now() - startedAt,
      failures: work.failures,
      steps: scope.stepRecords,
      writes: scope.writes,
      droppedWrites: scope.droppedWrites,
      outcome: end.outcome,
      ...(scope.signal.reason instanceof RunTimeout && { timedOut: true }),
      traceId: this.#traceId,
    };
    tell(scope, run);
    // One that is given up has an event of its own, and one that asked for it has not failed.
    if (object !== undefined && end.outcome.type === "error" && end.outcome.reason !== "Requeue") {
      scope.note(object, end.outcome.reason, end.outcome.message, "Warning");
    }
    dependencies.record(run);
    observer.ended?.(run, facts);
    if (end.lingering !== undefined) observer.lingering?.(facts);
    if (end.outcome.type === "done") scope.release();
    return { run, retryAfter: end.retryAfter, lingering: end.lingering };
  }

  async #work(object: KubeObject | undefined): Promise<End> {
    const { controller, dependencies } = this.#options;
    try {
      dependencies.guard?.(this.key);
      if (controller.style.type === "plain") return await this.#runPlain(controller.style.reconcile);
      return object === undefined ? { outcome: { type: "gone" } } : await runProse(this.#scope, object);
    } catch (error) {
      return { outcome: failureOf(error, this.#scope.signal), retryAfter: retryAfterOf(error) };
    }
  }

  async #runPlain(reconcile: PlainReconcile): Promise<End> {
    const { sources } = this.#options;
    const scope = this.#scope;
    const { clock, log, runId, facts } = scope;
    const signal = scope.showSignal();
    const request = splitKey(facts.key);
    const wasGone = sources.objects.get(facts.key) === undefined;
    const cacheOf = (kind: { readonly apiVersion: string; readonly kind: string }) => sources.cacheOf(kind);
    const tools: RunTools = {
      get client() {
        return scope.client();
      },
      signal,
      log,
      runId,
      now: () => clock.now(),
      read: (kind, which) => read(cacheOf, kind, which, request.namespace),
      readAll: (kind, by) => readAll(cacheOf, kind, by),
      note(reason, message, type = "Normal") {
        const object = sources.objects.get(facts.key);
        if (object !== undefined) scope.note(object, reason, message, type);
      },
    };
    const end = await cancellable(clock, signal, () => reconcile(request, tools));
    if (!end.ok)
      return {
        outcome: failureOf(end.error, signal),
        retryAfter: retryAfterOf(end.error),
        lingering: end.lingering,
      };
    signal.throwIfAborted();
    const result = end.value ?? undefined;
    const after = duration(result?.requeueAfter ?? 0);
    if (after > 0) return { outcome: { type: "again", after, reason: "requeueAfter" } };
    if (result?.requeue)
      return { outcome: { type: "error", reason: "Requeue", message: "asked to be tried again" } };
    // One that went away while it was worked on is looked at once more.
    const isGone = wasGone && sources.objects.get(facts.key) === undefined;
    return { outcome: { type: isGone ? "gone" : "done" } };
  }
}

/** What was meant for later has not caused a run that came earlier. */
function causes(triggers: readonly Trigger[], startedAt: number): readonly Trigger[] {
  return triggers.filter(({ due }) => due === undefined || due <= startedAt);
}

function tell({ log }: { readonly log: Log }, { outcome, duration: took, writes, triggers }: Run): void {
  const failed = outcome.type === "error" || outcome.type === "fail";
  if (!failed && log.isLevelEnabled?.("debug") === false) return;
  const facts = { outcome: outcome.type, duration: took, writes: writes.length, triggers: triggers.length };
  if (failed) log.warn({ ...facts, reason: outcome.reason }, outcome.message);
  else log.debug(facts, "reconciled");
}
