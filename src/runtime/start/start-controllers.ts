import type { Client, ObjectRef } from "../../client/client.js";
import { createInformers } from "../../client/informer/create-informers.js";
import type { Informers } from "../../client/informer/informers.js";
import { untilAborted } from "../../client/until-aborted.js";
import {
  duration,
  systemClock,
  systemRandom,
  type Clock,
  type Duration,
  type Random,
} from "../../model/core.js";
import { type Breakers, breakers as createBreakers } from "../breaker/breakers.js";
import type { Controller } from "../controller/controller.js";
import { Health } from "../health/health.js";
import { soleOwnership, type WorkOwnership } from "../lease/work-ownership.js";
import { silent, type Log } from "../log/log.js";
import { ControllerHandle } from "../loop/controller-handle.js";
import type { Dependencies } from "../loop/dependencies.js";
import type { Finding } from "../observe/findings/finding.js";
import type { Metrics } from "../observe/metrics.js";
import { Observation, type ObservationOptions } from "../observe/observation.js";
import { Recorders } from "../recorder/recorders.js";
import { RunLog, type RunLogOptions } from "../runs/run-log.js";
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
  /** Work over whole sets, at intervals. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** How the API is reached. It stays open when the controllers stop. */
  readonly client: Client;
  /**
   * Creates the client of one controller, called with its user, such as `system:fettle:controller:sites.demo.dev`. Default:
   * `client` for all. Whatever it returns, caches are filled through `client`.
   */
  readonly clientFor?: ((user: string) => Client) | undefined;
  /** Only one of the processes that name the same lease works at a time. Without it, this one works whatever others do. */
  readonly leaderElection?: Election | undefined;
  /** The objects are spread over all processes that name the same lease; in place of a leader election. */
  readonly sharding?: Shards | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Where log lines go, such as a pino logger; nowhere unless told. */
  readonly log?: Log | undefined;
  readonly breakers?: Breakers | undefined;
  readonly runs?: RunLogOptions | undefined;
  /** How long `stop` lets runs come to their end before they are cancelled. Default 30 s. */
  readonly grace?: Duration | undefined;
}

/** Controllers at work. */
export interface Controllers extends AsyncDisposable {
  readonly informers: Informers;
  readonly runs: RunLog;
  readonly breakers: Breakers;
  readonly health: Health;
  /** Undefined when they were not wanted. */
  readonly metrics: Metrics | undefined;
  /** Whether this process works: it leads, or has its share. */
  readonly isLeader: boolean;
  /** Whose the objects are; undefined when they are all this process's. */
  readonly sharding: Sharding | undefined;
  /** What somebody should look into: objects in a hot loop, managers who fight over a field. The last one first. */
  findings(): readonly Finding[];
  /** Resolves when this process leads, or has its share, and everything watched has been listed. */
  ready(signal?: AbortSignal): Promise<void>;
  /** One of them, by name or by the kind it is for. */
  get(controller: string | { readonly apiVersion: string; readonly kind: string }): ControllerHandle;
  readonly all: readonly ControllerHandle[];
  /** The schedules at work, with their figures; none while this process does not lead. */
  readonly schedules: readonly RunningSchedule[];
  /** Looks at an object for a reason that no watch tells of. */
  enqueue(
    kind: { readonly apiVersion: string; readonly kind: string },
    which: ObjectRef,
    options?: { readonly reason?: string; readonly after?: Duration },
  ): void;
  /** Resolves when no run is under way and none is due. */
  idle(): Promise<void>;
  /** Nothing new begins; runs come to their end or are cancelled after the grace; lease and shards are released. */
  stop(): Promise<void>;
}

/**
 * Sets controllers to work on an API, wherever it is.
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
  readonly runs: RunLog;
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
  /** Why no work was begun, or none will be. */
  #failure: unknown;
  #began: () => void = () => {};
  #failed: (error: unknown) => void = () => {};
  readonly #ready = new Promise<void>((resolve, reject) => {
    this.#began = resolve;
    this.#failed = reject;
  });

  constructor(options: ControllersOptions) {
    const { client, clock = systemClock, random = systemRandom, log = silent } = options;
    checkNames(options.controllers);
    const { ownership, ...named } = ownershipOf(options, { client, clock, random, log });
    this.#ownership = ownership;
    this.sharding = named.sharding?.sharding;
    this.runs = new RunLog(options.runs);
    this.breakers = options.breakers ?? createBreakers({ clock });
    this.health = new Health(clock);
    const onError = (error: unknown): void => log.warn({ err: error }, "asking what kinds there are");
    const patience = { clock, random, signal: this.#stopping.signal, onError };
    const kindInfo: Dependencies["kindInfo"] = (kind) => untilAnswered(() => client.kind(kind), patience);
    this.informers = createInformers({
      transport: client.transport,
      resolve: kindInfo,
      clock,
      random,
      onError: (error, { kind, doing }) => log.warn({ kind: kind.kind, err: error }, doing),
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
      drift: (controller, owner, { desired }, current) =>
        observation.drifted(controller, owner, desired, current),
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
    which: ObjectRef,
    options: { readonly reason?: string; readonly after?: Duration } = {},
  ): void {
    this.get(kind).enqueue(which, options);
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
    this.#failed(new Error("the controllers were stopped"));
    await this.#recorders.close();
    await this.informers.close();
    this.#observation.end();
  }

  async #work(work: ControllerWork, log: Log, grace: number): Promise<void> {
    const { signal } = this.#stopping;
    const onStarted = (): void => {
      this.#began();
      log.info({ controllers: this.all.map(({ name }) => name) }, "controllers are at work");
    };
    try {
      await this.#observation.load();
      await this.#ownership.work(work, { signal, grace, onStarted });
    } catch (error) {
      this.#failed(error);
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
        `there are two controllers named ${name}: give one of them another name, which must stay the same for good`,
      );
    }
    seen.add(name);
  }
}
