import { createClient } from "../../client/create-client.js";
import type { Client } from "../../client/client.js";
import type { Transport } from "../../client/transport/transport.js";
import { duration, type KubeObject, type Random } from "../../model/core.js";
import { kindsOf } from "../../plane/definitions/kinds-of.js";
import type { Controller } from "../../runtime/controller/controller.js";
import { startControllers, type Controllers } from "../../runtime/start/start-controllers.js";
import { describeCall, hooked, isWrite } from "../api/calls.js";
import { startMemoryApi, type MemoryApi } from "../api/memory-api.js";
import { seededRandom } from "../time/seeded-random.js";
import { NotIdleError, pass, untilStill, type StillnessOptions } from "../time/stillness.js";
import { TestClock } from "../time/test-clock.js";
import { comparable, isThenable } from "./comparable.js";
import { Director, type Life, type TimelineEntry } from "./director.js";
import { faultyTransport } from "./faulty-transport.js";
import { outsideOf } from "./outside.js";
import type { WorldOptions, Scenario, WorkloadTools } from "./scenario.js";
import type { FaultSchedule } from "./schedule.js";
import { snapshotName, takeSnapshot, type Snapshot } from "./snapshot.js";

/** Result of one run of the workload. */
export interface TrialOutcome {
  readonly director: Pick<Director, "effects" | "delivered" | "writes">;
  readonly story: readonly TimelineEntry[];
  /** Undefined when it could not be taken; `trouble` has the reason. */
  readonly snapshot?: Snapshot | undefined;
  /** Error besides a different end: the workload failed, activity did not end, controllers could not be restarted. */
  readonly trouble?: string | undefined;
}

export interface TrialOptions {
  readonly seed: number;
  readonly settle: number;
}

/** Virtual time after which `until` of the workload fails. */
const longestWait = "30m";
/** Turns of the event loop without passing time that count as a hot loop. */
const mostTurns = 150;
/** Virtual milliseconds granted to a hot loop that waits for time to pass, such as a retried list. */
const lenience = 5000;

/** Runs a workload once, with the faults of a schedule. */
export async function runTrial<World>(
  scenario: Scenario<World>,
  schedule: FaultSchedule,
  options: TrialOptions,
): Promise<TrialOutcome> {
  const trial = new Trial(scenario, schedule, options);
  try {
    return await trial.run();
  } finally {
    await trial[Symbol.asyncDispose]();
  }
}

class Trial<World> implements AsyncDisposable {
  readonly #scenario: Scenario<World>;
  readonly #options: TrialOptions;
  readonly #clock: TestClock;
  readonly #random: Random;
  readonly #world: World;
  readonly #director: Director;
  #started: MemoryApi | undefined;
  #controllers: Controllers | undefined;
  #life: Life | undefined;
  /** First error that is not an error of the workload. */
  #trouble: string | undefined;
  /** Names of all objects by uid, including deleted ones. */
  readonly #owners = new Map<string, string>();

  constructor(scenario: Scenario<World>, schedule: FaultSchedule, options: TrialOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#clock = new TestClock(scenario.start);
    this.#random = seededRandom(options.seed);
    this.#world = scenario.world?.create(this.#worldOptions) ?? ({} as World);
    if (isThenable(this.#world)) {
      throw new TypeError("world.create returned a promise; it must create the world synchronously");
    }
    this.#director = new Director({
      clock: this.#clock,
      schedule,
      revision: () => this.#started?.revision() ?? 0,
      worldText: () => this.#worldText(),
      crash: (past, down) => this.#crash(past, down),
      enqueueAll: () => this.#enqueueAll(),
    });
  }

  get #worldOptions(): WorldOptions {
    return { clock: this.#clock, random: this.#random };
  }

  get #memory(): MemoryApi {
    if (this.#started === undefined) throw new Error("there is no API yet");
    return this.#started;
  }

  get #still(): StillnessOptions {
    return {
      clock: this.#clock,
      life: () => this.#director.happened + this.#memory.revision(),
      mostTurns,
      lenience,
    };
  }

  async run(): Promise<TrialOutcome> {
    const { objects, kinds } = this.#scenario;
    const life: Life = { alive: true };
    const controllers = this.#createControllers(life);
    const [clock, random] = [this.#clock, this.#random];
    const memory = await startMemoryApi({ kinds: kindsOf(controllers, kinds), objects, clock, random });
    this.#started = { ...memory, transport: this.#recordingUids(memory.transport) };
    try {
      this.#startControllers(life, controllers);
      await untilStill(this.#still);
      await this.#workload();
      this.#director.story.push({ type: "workload", text: "it is over" });
      this.#director.workloadOver = true;
      this.#director.awaited();
      await this.#settled();
    } catch (error) {
      this.#trouble ??= messageOf(error);
    }
    // Stop all activity, also when it did not end by itself.
    if (this.#life !== undefined) this.#life.alive = false;
    const snapshot = await this.#snapshot();
    return { director: this.#director, story: this.#director.story, snapshot, trouble: this.#trouble };
  }

  /** Records the uids of objects, since some are deleted before the end. */
  #recordingUids(base: Transport): Transport {
    return hooked(base, {
      call: async (_, next) => {
        const response = await next();
        const { kind, metadata } = (response ?? {}) as Partial<KubeObject>;
        if (kind !== undefined && metadata?.uid !== undefined) {
          this.#owners.set(metadata.uid, snapshotName(response as KubeObject));
        }
        return response;
      },
    });
  }

  async #snapshot(): Promise<Snapshot | undefined> {
    try {
      const { transport, api } = this.#memory;
      const normalize = this.#scenario.normalize?.bind(this.#scenario);
      const [owners, world] = [this.#owners, this.#worldState()];
      return await takeSnapshot({ api, transport, owners, world, normalize });
    } catch (error) {
      this.#trouble ??= `the end cannot be compared: ${messageOf(error)}`;
      return undefined;
    }
  }

  async #workload(): Promise<void> {
    try {
      await this.#scenario.workload(this.#tools());
    } catch (error) {
      if (error instanceof NotIdleError) throw error;
      throw new Error(
        `the workload failed: ${messageOf(error)} (controllers may be slow: use until to wait for what the workload relies on)`,
        { cause: error },
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    void this.#controllers?.stop();
    await this.#started?.[Symbol.asyncDispose]();
  }

  #worldState(): unknown {
    return this.#scenario.world?.snapshot(this.#world) ?? null;
  }

  /** A snapshot may fail during the run, but not at its end. */
  #worldText(): string {
    try {
      return JSON.stringify(comparable(this.#worldState()));
    } catch (error) {
      return messageOf(error);
    }
  }

  #createControllers(life: Life): readonly Controller[] {
    const world = this.#worldFor(life);
    return this.#director.settingUp(() => this.#scenario.controllers(world, this.#worldOptions));
  }

  #worldFor(life: Life): World {
    return this.#scenario.world === undefined ? this.#world : outsideOf(this.#world, this.#director, life);
  }

  #startControllers(life: Life, controllers = this.#createControllers(life)): void {
    this.#life = life;
    const [clock, random] = [this.#clock, this.#random];
    const transport = faultyTransport(this.#memory.transport, this.#director, life, clock);
    this.#controllers = startControllers({
      controllers,
      schedules: this.#scenario.schedules?.(this.#worldFor(life)),
      client: createClient({ transport, clock, random }),
      clock,
      random,
      metrics: false,
      traces: false,
      grace: 0,
    });
    this.#controllers.runs.follow(() => this.#director.happened++);
  }

  #crash(past: number | undefined, down: Promise<void>): void {
    // Only to end its timers: requests of a crashed lifetime are no longer answered.
    void this.#controllers?.stop();
    this.#controllers = undefined;
    this.#restart(past, down).catch((error: unknown) => {
      this.#trouble ??= `the controllers could not be restarted: ${messageOf(error)}`;
    });
  }

  async #restart(past: number | undefined, down: Promise<void>): Promise<void> {
    await down;
    const stale = past === undefined ? "" : ", and see an old state for a while";
    this.#director.story.push({ type: "fault", text: `the controllers restart${stale}` });
    this.#startControllers({ alive: true, past });
  }

  #enqueueAll(): void {
    for (const handle of this.#controllers?.all ?? []) {
      if (!handle.loop?.isStarted) continue;
      for (const { metadata } of handle.loop.sources.objects.list()) {
        handle.enqueue({ name: metadata.name ?? "", namespace: metadata.namespace }, { reason: "repeated" });
      }
    }
  }

  #tools(): WorkloadTools<World> {
    return {
      client: this.#client(),
      world: this.#world,
      clock: this.#clock,
      settled: () => this.#settled(),
      advance: (time) => this.#pass(duration(time)),
      until: async (kind, which, holds) => {
        const client = createClient({ transport: this.#memory.transport, clock: this.#clock });
        const deadline = this.#clock.now() + duration(longestWait);
        for (;;) {
          this.#director.awaited();
          await untilStill(this.#still);
          const object = await client.find(kind, which);
          if (holds(object)) return object;
          const next = this.#clock.next ?? Infinity;
          if (next > deadline) {
            const info = await client.kind(kind);
            const state = object === undefined ? "it does not exist" : JSON.stringify(object.status ?? {});
            throw new Error(
              `${info.kind} ${JSON.stringify(which)} has not become what the workload waits for in ${longestWait}: ${state}`,
            );
          }
          await this.#pass(next - this.#clock.now());
        }
      },
    };
  }

  /** Client of the workload, without faults. */
  #client(): Client {
    const transport = hooked(this.#memory.transport, {
      call: (call, next) => (isWrite(call) ? this.#director.wrote(describeCall(call), next) : next()),
      close: async () => {},
    });
    return createClient({ transport, clock: this.#clock, random: this.#random });
  }

  /** Lets time pass until the controllers could recover from the last fault. */
  async #settled(): Promise<void> {
    const { settle } = this.#options;
    await this.#pass(settle);
    for (let rounds = 0; rounds < 10 && this.#director.recovered + settle > this.#clock.now(); rounds++) {
      await this.#pass(this.#director.recovered + settle - this.#clock.now());
    }
  }

  async #pass(milliseconds: number): Promise<void> {
    await pass(milliseconds, this.#still);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
