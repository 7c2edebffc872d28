import type { Client } from "../../client/client.js";
import { createInformers } from "../../client/informer/create-informers.js";
import type { Informers } from "../../client/informer/informers.js";
import { untilAborted } from "../../client/async/until-aborted.js";
import {
  duration,
  systemClock,
  systemRandom,
  type Clock,
  type Duration,
  type Random,
} from "../../model/core.js";
import { type Breakers, breakers as createBreakers } from "../breaker/breakers.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { Controller } from "../controller/controller.js";
import type { EventFeed } from "../controller/event-watch.js";
import { Health } from "../health/health.js";
import { soleOwnership, type WorkOwnership } from "../lease/work-ownership.js";
import { silent, type Log } from "../log/log.js";
import { ControllerHandle } from "../loop/controller-handle.js";
import type { EnqueueTarget } from "../controller/reconcile-context.js";
import type { Dependencies } from "../loop/dependencies.js";
import type { Finding } from "../observe/findings/finding.js";
import type { Metrics } from "../observe/metrics.js";
import { Observation, type ObservationOptions } from "../observe/observation.js";
import { Recorders } from "../recorder/recorders.js";
import { MemoryRunStore } from "../runs/memory-run-store.js";
import type { RunStore } from "../runs/run-store.js";
import type { Schedule } from "../schedule/schedule.js";
import type { RunningSchedule } from "../schedule/start-schedule.js";
import type { Sharding } from "../shard/sharding.js";
import { apiAccess } from "./api-access.js";
import { ControllerWork } from "./controller-work.js";
import { addHealthChecks } from "./health-checks.js";
import { ownershipOf, type Election, type Shards } from "./ownership.js";
import { Schedules } from "./schedules.js";
import { untilAnswered } from "./until-answered.js";

export interface ControllersOptions extends ObservationOptions {
  readonly controllers: readonly Controller[];
  /** Schedules to run beside the controllers. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** Client of the API. It stays open when the controllers stop. */
  readonly client: Client;
  /**
   * Creates the client of one controller, called with its user, such as `system:fettle:controller:sites.demo.dev`. Default:
   * `client` for all. Whatever it returns, caches are filled through `client`.
   */
  readonly clientFor?: ((user: string) => Client) | undefined;
  /** User as which `client` is authenticated, for the records of runs without a client of their own. */
  readonly user?: string | undefined;
  /** Elects one process among those that use the same Lease, which alone works. Default: this process works in any case. */
  readonly leaderElection?: Election | undefined;
  /** Divides the objects among all processes that use the same Lease, instead of a leader election. */
  readonly sharding?: Shards | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Logger, such as pino's. Default: none. */
  readonly log?: Log | undefined;
  readonly breakers?: Breakers | undefined;
  /** Store of run records. It stays open when the controllers stop. Default: in memory. */
  readonly runs?: RunStore | undefined;
  /** Events for controllers that watch them, or are named in them. Default: none. */
  readonly events?: EventFeed | undefined;
  /** Publishes the events that reconcilers emit. Default: `emit` fails. */
  readonly publish?: ((events: readonly EventInput[]) => Promise<void>) | undefined;
  /** Called with errors of watches and of a failed start, beside the log. */
  readonly onError?: ((component: string, error: unknown) => void) | undefined;
  /** Time that `stop` waits for active runs before it cancels them. Default 30 s. */
  readonly grace?: Duration | undefined;
}

/** Running controllers. */
export interface Controllers extends AsyncDisposable {
  readonly informers: Informers;
  readonly runs: RunStore;
  readonly breakers: Breakers;
  readonly health: Health;
  /** Undefined if they are disabled. */
  readonly metrics: Metrics | undefined;
  /** Whether this process works: it is the leader, a member of the sharding, or alone. */
  readonly isLeader: boolean;
  /** Undefined without sharding. */
  readonly sharding: Sharding | undefined;
  /** Problems found: objects in a hot loop, managers that fight over a field. Newest first. */
  findings(): readonly Finding[];
  /** Resolves when this process works and everything watched has been listed. */
  ready(signal?: AbortSignal): Promise<void>;
  /** A controller, by its name or its kind. */
  get(controller: string | { readonly apiVersion: string; readonly kind: string }): ControllerHandle;
  readonly all: readonly ControllerHandle[];
  /** Running schedules with their counters; none while this process does not work. */
  readonly schedules: readonly RunningSchedule[];
  /**
   * Triggers a run of an object by hand.
   *
   * @example
   * controllers.enqueue(Site, "hello", { reason: "the certificate was renewed" });
   * controllers.enqueue(Site, { uid: event.data.uid }, { after: "1m" });
   */
  enqueue(
    kind: { readonly apiVersion: string; readonly kind: string },
    which: EnqueueTarget,
    options?: { readonly reason?: string; readonly after?: Duration },
  ): void;
  /**
   * Triggers a run of every object of a kind by hand. Default: of all kinds whose controllers work in this process. Returns the
   * number of objects.
   */
  enqueueAll(
    kind?: { readonly apiVersion: string; readonly kind: string },
    options?: { readonly reason?: string },
  ): number;
  /** Resolves when no run is active and none is due. */
  idle(): Promise<void>;
  /** Starts no more runs, waits for active ones, cancels them after the grace, and releases Lease and shards. */
  stop(): Promise<void>;
}

/**
 * Starts controllers on an API, in the same process or elsewhere.
 *
 * @example
 * const running = startControllers({ controllers: [sites], client });
 * await running.ready();
 * running.enqueue(Site, "hello", { reason: "the certificate was renewed" });
 * await running.stop();
 */
export function startControllers(options: ControllersOptions): Controllers {
  return new RunningControllers(options);
}

class RunningControllers implements Controllers {
  readonly informers: Informers;
  readonly runs: RunStore;
  readonly breakers: Breakers;
  readonly health: Health;
  readonly metrics: Metrics | undefined;
  readonly all: readonly ControllerHandle[];
  readonly sharding: Sharding | undefined;
  readonly #ownership: WorkOwnership;
  readonly #observation: Observation;
  readonly #recorders: Recorders;
  readonly #schedules: Schedules;
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;
  #stopped: Promise<void> | undefined;
  /** Error because of which the controllers could not be started. */
  #failure: unknown;
  #resolveReady: () => void = () => {};
  #rejectReady: (error: unknown) => void = () => {};
  readonly #ready = new Promise<void>((resolve, reject) => {
    this.#resolveReady = resolve;
    this.#rejectReady = reject;
  });

  constructor(options: ControllersOptions) {
    const { client, clock = systemClock, random = systemRandom, log = silent } = options;
    checkNames(options.controllers);
    const { ownership, ...named } = ownershipOf(options, { client, clock, random, log });
    this.#ownership = ownership;
    this.sharding = named.sharding?.sharding;
    this.runs = options.runs ?? new MemoryRunStore();
    this.breakers = options.breakers ?? createBreakers({ clock });
    this.health = new Health(clock);
    const onError = (error: unknown): void => log.warn({ err: error }, "discovering kinds");
    const retrying = { clock, random, signal: this.#stopping.signal, onError };
    const kindInfo: Dependencies["kindInfo"] = (kind) => untilAnswered(() => client.kind(kind), retrying);
    this.informers = createInformers({
      transport: client.transport,
      resolve: kindInfo,
      clock,
      random,
      onError: (error, { kind, doing }) => {
        log.warn({ kind: kind.kind, err: error }, doing);
        options.onError?.(`watch of ${kind.kind}`, error);
      },
    });
    const { accessOf, clientFor, guardedClient } = apiAccess(options, {
      informers: this.informers,
      ownership,
      clock,
      random,
    });
    this.#recorders = new Recorders({ clientFor, clock, random, log });
    const recordEvent: Dependencies["recordEvent"] = (controller, object, reason, message, type, run) =>
      this.#recorders.get(controller).event(object, { type, reason, message, run });
    const observation = new Observation(options, {
      clock,
      log,
      warn: (controller, object, reason, message) =>
        recordEvent(controller, object, reason, message, "Warning"),
      objectOf: (controller, kind, key) => this.get(controller).cached(kind, key),
    });
    this.#observation = observation;
    this.metrics = observation.metrics;
    const dependencies: Dependencies = {
      clock,
      random,
      log,
      informers: this.informers,
      namespace: client.namespace,
      kindInfo,
      accessOf,
      breaker: (name) => this.breakers.get(name),
      recordEvent,
      ownership,
      get observer() {
        return observation.observer;
      },
      queueObserver: (controller) => observation.metrics?.queueObserver(controller),
      record: (run) => this.runs.add(run),
      events: options.events,
      publish: options.publish,
      enqueue: (kind, which, enqueueOptions) => this.#enqueueFromRun(kind, which, enqueueOptions, log),
    };
    this.all = options.controllers.map((controller) => new ControllerHandle(controller, dependencies));
    this.#schedules = new Schedules({
      schedules: options.schedules ?? [],
      ownership,
      clock,
      log,
      metrics: this.metrics?.scheduleObserver,
      clientFor: guardedClient,
    });
    observation.watch({
      clock,
      controllers: this.all,
      informers: this.informers,
      breakers: this.breakers,
      ...named,
    });
    const { election } = named;
    const check = election === undefined ? "sharding" : "leader-election";
    addHealthChecks(this.health, {
      informers: this.informers,
      controllers: this.all,
      clock,
      failure: () => this.#failure,
      ownership: ownership === soleOwnership ? undefined : { name: check, of: ownership },
    });
    // Callers that do not wait for it learn of a failure from the health and the log.
    this.#ready.catch(() => {});
    const work = new ControllerWork(this.all, this.#schedules, clock);
    this.#working = this.#work(work, log, duration(options.grace ?? "30s"));
  }

  get isLeader(): boolean {
    return this.#ownership.isActive;
  }

  get schedules(): readonly RunningSchedule[] {
    return this.#schedules.running;
  }

  findings(): readonly Finding[] {
    return this.#observation.findings();
  }

  ready(signal?: AbortSignal): Promise<void> {
    return untilAborted(this.#ready, signal);
  }

  get(controller: string | { readonly apiVersion: string; readonly kind: string }): ControllerHandle {
    const found = this.all.find(({ controller: { name, options } }) =>
      typeof controller === "string"
        ? name === controller
        : options.for.kind === controller.kind && options.for.apiVersion === controller.apiVersion,
    );
    if (found !== undefined) return found;
    const called =
      typeof controller === "string" ? controller : `for ${controller.apiVersion} ${controller.kind}`;
    const names = this.all.map((each) => each.controller.name).join(", ");
    throw new RangeError(`there is no controller ${called}: there are ${names || "none"}`);
  }

  enqueue(
    kind: { readonly apiVersion: string; readonly kind: string },
    which: EnqueueTarget,
    options: { readonly reason?: string; readonly after?: Duration } = {},
  ): void {
    this.get(kind).enqueue(which, options);
  }

  enqueueAll(
    kind?: { readonly apiVersion: string; readonly kind: string },
    options: { readonly reason?: string } = {},
  ): number {
    if (kind !== undefined) return this.get(kind).enqueueAll(options);
    const working = this.all.filter(({ loop }) => loop?.isStarted);
    return working.reduce((count, handle) => count + handle.enqueueAll(options), 0);
  }

  /** Enqueues an object for a reconciler, which cannot do anything about an object that another process owns. */
  #enqueueFromRun(
    kind: { readonly apiVersion: string; readonly kind: string },
    which: EnqueueTarget,
    options: { readonly reason?: string; readonly after?: Duration } | undefined,
    log: Log,
  ): void {
    const handle = this.get(kind);
    if (!handle.enqueueOwned(which, options))
      log.warn({ kind: kind.kind, object: which }, "not enqueued: another process owns the object");
  }

  async idle(): Promise<void> {
    await this.#ready;
    for (;;) {
      await Promise.all(this.all.map((each) => each.idle()));
      if (this.all.every((each) => each.isIdle)) return;
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort(new Error("the controllers are being stopped"));
    await this.#working;
    this.#rejectReady(new Error("the controllers were stopped"));
    await this.#recorders.close();
    await this.informers.close();
    this.#observation.end();
  }

  async #work(work: ControllerWork, log: Log, grace: number): Promise<void> {
    const { signal } = this.#stopping;
    const onStarted = (): void => {
      this.#resolveReady();
      log.info({ controllers: this.all.map(({ name }) => name) }, "controllers are at work");
    };
    try {
      await this.#observation.load();
      await this.#ownership.work(work, { signal, grace, onStarted });
    } catch (error) {
      this.#rejectReady(error);
      if (signal.aborted) return;
      this.#failure = error;
      log.error({ err: error }, "the controllers could not be started");
    }
  }
}

function checkNames(controllers: readonly Controller[]): void {
  const seen = new Set<string>();
  for (const { name } of controllers) {
    if (seen.has(name)) {
      throw new Error(
        `there are two controllers named ${name}: give one of them another name, which must stay the same for good; a controller of an operator must not be exported or listed as well`,
      );
    }
    seen.add(name);
  }
}
