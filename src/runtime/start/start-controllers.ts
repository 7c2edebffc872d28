import type { Client, Which } from "../../client/client.js";
import { createClient } from "../../client/create-client.js";
import { createInformers } from "../../client/informer/create-informers.js";
import type { Informers } from "../../client/informer/informers.js";
import { readYourWrites } from "../../client/informer/read-your-writes.js";
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
import {
  leaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from "../leader/leader-election.js";
import type { Dependencies } from "../loop/dependencies.js";
import { ControllerHandle } from "../loop/controller-handle.js";
import type { Finding } from "../observe/findings/finding.js";
import { silent, type Log } from "../log/log.js";
import type { Metrics } from "../observe/metrics.js";
import { Observation, type ObservationOptions } from "../observe/observation.js";
import { Recorders } from "../recorder/recorders.js";
import { RecordingTransport } from "../runs/recording-transport.js";
import { RunLog, type RunLogOptions } from "../runs/run-log.js";
import type { Schedule } from "../schedule/schedule.js";
import { sharding, type Sharding, type ShardingOptions } from "../shard/sharding.js";
import { SharedWork } from "./shared-work.js";
import { startSchedule, type RunningSchedule, type ScheduleObserver } from "../schedule/start-schedule.js";
import { untilAnswered } from "./until-answered.js";

/** How several processes agree on which of them works. */
export type Election = Omit<LeaderElectionOptions, "client" | "clock" | "random" | "onError">;

/** How several processes share the work. */
export type Shards = Omit<ShardingOptions, "client" | "clock" | "random" | "onError">;

export interface ControllersOptions extends ObservationOptions {
  readonly controllers: readonly Controller[];
  /** Work over whole sets, at intervals. */
  readonly schedules?: readonly Schedule[] | undefined;
  /** How the API is reached. It stays open when the controllers stop. */
  readonly client: Client;
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
    which: Which,
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

const forever = new Promise<never>(() => {});

class RunningControllers implements Controllers {
  readonly informers: Informers;
  readonly runs: RunLog;
  readonly breakers: Breakers;
  readonly health: Health;
  readonly metrics: Metrics | undefined;
  readonly all: readonly ControllerHandle[];
  readonly #observation: Observation;
  readonly #options: ControllersOptions;
  readonly #dependencies: Dependencies;
  readonly #recorders: Recorders;
  readonly #election: LeaderElection | undefined;
  readonly sharding: Sharding | undefined;
  readonly #shared: SharedWork | undefined;
  readonly #stopping = new AbortController();
  readonly #grace: number;
  readonly #working: Promise<void>;
  #stopped: Promise<void> | undefined;
  readonly #schedules: RunningSchedule[] = [];
  /** What passes of each schedule have begun and has not ended: what one term leaves behind, the next one waits for. */
  readonly #passes = new Map<Schedule, Set<Promise<unknown>>>();
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
    if (options.leaderElection !== undefined && options.sharding !== undefined) {
      throw new Error(
        "either one process leads or all share the work: give leaderElection or sharding, not both",
      );
    }
    this.#options = options;
    this.#grace = duration(options.grace ?? "30s");
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
    const transport = readYourWrites(client.transport, this.informers);
    this.#recorders = new Recorders({ client, clock, random, log });
    if (options.leaderElection !== undefined) {
      this.#election = leaderElection({
        ...options.leaderElection,
        client,
        clock,
        random,
        onError: (error) => log.warn({ err: error }, "leader election"),
      });
    }
    if (options.sharding !== undefined) {
      this.sharding = sharding({
        ...options.sharding,
        client,
        clock,
        random,
        onError: (error) => log.warn({ err: error }, "sharding"),
      });
    }
    const shards = this.sharding;
    const note: Dependencies["note"] = (controller, object, reason, message, type, run) =>
      this.#recorders.get(controller).event(object, { type, reason, message, run });
    const observation = new Observation(options, {
      clock,
      log,
      warn: (controller, object, reason, message) => note(controller, object, reason, message, "Warning"),
      objectOf: (controller, kind, key) => this.get(controller).cached(kind, key),
    });
    this.#observation = observation;
    this.metrics = observation.metrics;
    this.#dependencies = {
      clock,
      random,
      log,
      transport,
      informers: this.informers,
      namespace: client.namespace,
      kindInfo,
      clientOver: (over) => createClient({ transport: over, namespace: client.namespace, clock, random }),
      breaker: (name) => this.breakers.get(name),
      note,
      guard: (key) => {
        this.#election?.guard();
        shards?.guard(key);
      },
      owns: shards && ((key) => shards.owns(key)),
      settled: shards && (() => shards.quiet()),
      get observer() {
        return observation.observer;
      },
      queueObserver: (controller) => observation.metrics?.queueObserver(controller),
      record: (run) => this.runs.add(run),
      drift: (controller, owner, { desired }, current) =>
        observation.drifted(controller, owner, desired, current),
    };
    this.all = options.controllers.map((controller) => new ControllerHandle(controller, this.#dependencies));
    if (shards !== undefined) {
      const { schedules = [] } = options;
      const start = (schedule: Schedule, key: string): RunningSchedule => this.#startSchedule(schedule, key);
      this.#shared = new SharedWork({ sharding: shards, controllers: this.all, schedules, start });
    }
    observation.watch({
      clock,
      controllers: this.all,
      informers: this.informers,
      breakers: this.breakers,
      election: this.#election && { name: options.leaderElection?.name ?? "", election: this.#election },
      sharding: shards && { name: options.sharding?.name ?? "", sharding: shards },
    });
    this.#addChecks();
    // Who does not wait for it learns of a failure from the health and the log.
    this.#ready.catch(() => {});
    this.#working = this.#work(log);
  }

  get isLeader(): boolean {
    return this.#election?.isLeader ?? this.sharding?.isMember ?? true;
  }

  get schedules(): readonly RunningSchedule[] {
    return this.#shared?.schedules ?? this.#schedules;
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
    which: Which,
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

  async #work(log: Log): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await this.#observation.load();
      if (this.sharding !== undefined) await this.#share(this.sharding, signal);
      else if (this.#election === undefined) await this.#lead(signal);
      else await this.#election.run((term) => this.#lead(term), { signal });
    } catch (error) {
      this.#failed(error);
      if (signal.aborted) return;
      this.#failure = error;
      log.error({ err: error }, "the controllers could not be started");
    }
  }

  /** All that is watched is listed before this process takes its share, and kept in view when it loses it. */
  async #share(sharding: Sharding, signal: AbortSignal): Promise<void> {
    const { log } = this.#dependencies;
    try {
      await Promise.all(this.all.map((each) => each.start(signal)));
      if (signal.aborted || this.#shared === undefined) return;
      void sharding.ready().then(this.#began);
      const controllers = this.all.map((each) => each.controller.name);
      log.info({ controllers, shards: sharding.shards }, "controllers take part in the work");
      await sharding.run(this.#shared, { signal, grace: this.#grace });
    } finally {
      // What was under way in a shard has ended or was cancelled before the shard was given up.
      await Promise.all(this.all.map((each) => each.stop(AbortSignal.abort(), "the process stops")));
    }
  }

  /** One term: everything starts, and when the term ends everything stops. */
  async #lead(term: AbortSignal): Promise<void> {
    const { clock, log } = this.#dependencies;
    try {
      await Promise.all(this.all.map((each) => each.start(term)));
      if (term.aborted) return;
      for (const schedule of this.#options.schedules ?? [])
        this.#schedules.push(this.#startSchedule(schedule));
      this.#began();
      log.info({ controllers: this.all.map((each) => each.controller.name) }, "controllers are at work");
      await untilAborted(forever, term).catch(() => {});
    } finally {
      const stopping = this.#stopping.signal.aborted;
      const deadline = new AbortController();
      // Whoever has lost the lead must be done before the lease runs out: nothing is waited for.
      const timer = clock.after(stopping ? this.#grace : 0, () => deadline.abort());
      const reason = stopping ? "the process stops" : "this process leads no longer";
      await Promise.all([
        ...this.all.map((each) => each.stop(deadline.signal, reason)),
        ...this.#schedules.splice(0).map((each) => each.stop()),
      ]);
      timer.cancel();
    }
  }

  #startSchedule(schedule: Schedule, key = ""): RunningSchedule {
    const { clock } = this.#dependencies;
    const observer = this.#scheduleObserver(schedule);
    const underWay = this.#passes.get(schedule) ?? new Set();
    this.#passes.set(schedule, underWay);
    return startSchedule(schedule, { clock, client: this.#guardedClient(key), observer, underWay });
  }

  #scheduleObserver({ onError }: Schedule): ScheduleObserver {
    const { log } = this.#dependencies;
    const measured = this.metrics?.scheduleObserver;
    return {
      passed: (report) => measured?.passed?.(report),
      skipped(name, due, lingering) {
        measured?.skipped?.(name, due, lingering);
        if (lingering) log.warn({ schedule: name }, `no pass begins: an earlier one goes on ${whyLingering}`);
      },
      lingering: (name) => log.error({ schedule: name }, `a pass goes on ${whyLingering}`),
      failed(name, error, item) {
        measured?.failed?.(name, error, item);
        // Who listens themselves need not be told twice.
        if (onError === undefined) log.warn({ schedule: name, err: error }, "a schedule failed; it goes on");
      },
    };
  }

  /** For work that is no run of a controller: it too writes only while this process leads, or has the key. */
  #guardedClient(key: string): Client {
    const { clock, transport, clientOver, guard } = this.#dependencies;
    return clientOver(
      new RecordingTransport(transport, { clock, guard: () => guard?.(key), wrote: () => {} }),
    );
  }

  #addChecks(): void {
    // Nothing is tried again after such a failure: whoever restarts processes should do so with this one.
    const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));
    this.health.check(
      "controllers",
      () => this.#failure === undefined || { ok: false, message: message(this.#failure) },
      { probes: ["liveness", "readiness"] },
    );
    this.health.check("informers", () => {
      const waiting = this.informers.states().filter(({ synced }) => !synced);
      if (waiting.length === 0) return true;
      return {
        ok: false,
        message: `waiting for the first list of ${waiting.map(({ kind }) => kind.kind).join(", ")}`,
      };
    });
    const { sharding } = this;
    if (sharding !== undefined) {
      this.health.check("sharding", () => {
        const { isMember, owned, shards, members } = sharding;
        if (!isMember) return { ok: false, message: "this process has no share, and tries to get one" };
        return `${owned} of ${shards} shards, ${members} ${members === 1 ? "process" : "processes"}`;
      });
    }
    const election = this.#election;
    if (election !== undefined) {
      this.health.check("leader-election", () => {
        const { isLeader, leader, identity } = election;
        if (isLeader) return "leading";
        // The lease may still have the name of this process, which has lost it or gave it up.
        return leader === undefined || leader === identity ? "nobody is known to lead" : `${leader} leads`;
      });
    }
  }
}

const whyLingering = "although it was cancelled: pass its signal on to what it waits for";

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
