import type { Client } from "../../client/client.js";
import type { Source } from "../../client/informer/source.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import { tell } from "../../client/tell.js";
import type { Transport } from "../../client/transport/transport.js";
import { newUid, type Clock, type KubeObject } from "../../model/core.js";
import type { StagedChild } from "./children/staged.js";
import type { AppliedChildren } from "./children/write-children.js";
import type { Controller } from "../controller/controller.js";
import { followClient } from "./followed-client.js";
import { messageOf } from "../log/message-of.js";
import { lazyChild, type Log } from "../log/log.js";
import type { RunFacts } from "../observe/observer.js";
import type { ProseContext, ProseOptions } from "./prose-context.js";
import type { Work } from "../queue/work.js";
import { RecordingTransport, type Recording } from "../runs/recording-transport.js";
import type { StepRecord, Trigger, WriteRecord } from "../runs/run.js";
import { HandOver, Steps } from "./steps/steps.js";
import { joinKey } from "../controller/keys.js";
import type { RunSignals } from "../cancel/run-signals.js";
import type { Caches, RunDependencies } from "./run-dependencies.js";

export interface RunOptions {
  readonly controller: Controller;
  readonly dependencies: RunDependencies;
  readonly applied: AppliedChildren;
  readonly sources: Caches;
  readonly signals: RunSignals;
  readonly timeout: number;
}

/** How many writes of one run are kept in its record. */
const mostWrites = 200;

const none: readonly StepRecord[] = [];

/**
 * What one run works with, and what it leaves behind. There is one for each run, so what only some runs need is made when
 * it is asked for.
 */
export class RunScope implements ProseContext, Recording {
  readonly work: Work<Trigger>;
  readonly facts: RunFacts;
  readonly writes: WriteRecord[] = [];
  /** How many more there were, before the last one. */
  droppedWrites = 0;
  readonly #options: RunOptions;
  readonly #cancelled: AbortController;
  #isShown = false;
  #log: Log | undefined;
  #steps: Steps | undefined;
  #transport: Transport | undefined;

  constructor(options: RunOptions, work: Work<Trigger>) {
    const { controller, dependencies, signals } = options;
    this.#options = options;
    this.#cancelled = signals.take();
    this.work = work;
    this.facts = {
      controller: controller.name,
      kind: controller.options.for.kind,
      key: work.key,
      runId: newUid(dependencies.random),
    };
  }

  get options(): ProseOptions {
    const { style } = this.#options.controller;
    if (style.type !== "prose") throw new TypeError("a plain controller has no words");
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

  get planning(): boolean {
    return false;
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

  /** A resource() knows more of itself than the server's discovery tells. */
  get kind(): KindInfo {
    const { controller, sources } = this.#options;
    return "versions" in controller.options.for ? controller.options.for : sources.kind;
  }

  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  showSignal(): AbortSignal {
    this.#isShown = true;
    return this.#cancelled.signal;
  }

  cancel(reason: unknown): void {
    this.#cancelled.abort(reason);
  }

  /** The run is over, and nothing that it began goes on. */
  release(): void {
    if (!this.#isShown) this.#options.signals.giveBack(this.#cancelled);
  }

  get steps(): Steps {
    const { dependencies } = this.#options;
    const { clock, observer } = dependencies;
    this.#steps ??= new Steps({
      clock,
      signal: this.showSignal(),
      breaker: (name) => dependencies.breaker(name),
      around:
        observer.aroundStep && ((name, body) => observer.aroundStep?.(this.facts, name, body) ?? body()),
    });
    return this.#steps;
  }

  /** What became of the steps, if there were any. */
  get stepRecords(): readonly StepRecord[] {
    return this.#steps?.records ?? none;
  }

  get lingering(): Promise<unknown> | undefined {
    return this.#steps?.lingering;
  }

  /** The way to the API for this run: what it writes is recorded, and nothing is written that must not be. */
  get transport(): Transport {
    this.#transport ??= new RecordingTransport(this.#options.dependencies.transport, this);
    return this.#transport;
  }

  client(): Client {
    const client = this.#options.dependencies.clientOver(this.transport);
    return followClient(client, (call, error) => this.#lost(call, error));
  }

  #lost(call: string, error: unknown): void {
    tell("the log", () =>
      this.log.warn({ err: error }, `${call} was not awaited, and failed: ${messageOf(error)}`),
    );
  }

  cacheOf(kind: { readonly apiVersion: string; readonly kind: string }): Source {
    return this.#options.sources.cacheOf(kind);
  }

  note(object: KubeObject, reason: string, message: string, type: "Normal" | "Warning"): void {
    const { controller, runId } = this.facts;
    this.#options.dependencies.note(controller, object, reason, message, type, runId);
  }

  onDrift(owner: KubeObject, child: StagedChild, current: KubeObject): void {
    this.#options.dependencies.drift?.(this.facts.controller, owner, child, current);
  }

  guard(): void {
    // Somebody else goes on from here, be it this process in its next term.
    const { reason } = this.#cancelled.signal as { reason: unknown };
    if (reason instanceof HandOver) throw reason;
    this.#options.dependencies.guard?.(this.facts.key);
  }

  before(kind: KindInfo, namespace: string, name: string): KubeObject | null | undefined {
    try {
      return this.cacheOf(kind).get(joinKey(namespace, name)) ?? null;
    } catch {
      return undefined;
    }
  }

  wrote(record: WriteRecord): void {
    // The last one is kept: it says how the run ended.
    if (this.writes.length === mostWrites) {
      this.writes.pop();
      this.droppedWrites++;
    }
    this.writes.push(record);
  }

  get around(): Recording["around"] {
    const { observer } = this.#options.dependencies;
    return (
      observer.aroundWrite && ((write, body) => observer.aroundWrite?.(this.facts, write, body) ?? body())
    );
  }
}
