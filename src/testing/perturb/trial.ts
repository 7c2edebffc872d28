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
import { NeverStill, pass, untilStill, type StillnessOptions } from "../time/stillness.js";
import { TestClock } from "../time/test-clock.js";
import { comparable, isThenable } from "./comparable.js";
import { Director, type Life, type Line } from "./director.js";
import { faultyTransport } from "./faulty-transport.js";
import { outsideOf } from "./outside.js";
import type { Givens, Scenario, WorkloadTools } from "./scenario.js";
import type { Schedule } from "./schedule.js";
import { nameOf, takeSnapshot, type Snapshot } from "./snapshot.js";

/** What became of one repetition. */
export interface Outcome {
  readonly director: Pick<Director, "effects" | "told" | "writes">;
  readonly story: readonly Line[];
  /** Undefined when none could be taken, which is a trouble. */
  readonly snapshot?: Snapshot | undefined;
  /** What went wrong besides: the workload failed, nothing came to rest, controllers could not be started anew. */
  readonly trouble?: string | undefined;
}

export interface TrialOptions {
  readonly seed: number;
  readonly settle: number;
}

/** Longest that the workload may wait for an object, on the virtual clock. */
const longestWait = "30m";
/** What keeps going that long in one moment is a hot loop, and not work. */
const mostTurns = 150;
/** Longest that a hot loop may wait for something that comes with time, such as a list that is tried again, in milliseconds. */
const lenience = 5000;

/** Runs a workload once, with the faults of a schedule. */
export async function runTrial<World>(
  scenario: Scenario<World>,
  schedule: Schedule,
  options: TrialOptions,
): Promise<Outcome> {
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
  /** The first thing that went wrong of which the workload knows nothing. */
  #trouble: string | undefined;
  /** Whose uids there have been. */
  readonly #owners = new Map<string, string>();

  constructor(scenario: Scenario<World>, schedule: Schedule, options: TrialOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#clock = new TestClock(scenario.start);
    this.#random = seededRandom(options.seed);
    // Whoever needs none gets an empty one.
    this.#world = scenario.world?.create(this.#givens) ?? ({} as World);
    if (isThenable(this.#world)) {
      throw new TypeError("world.create returns a promise: make the world at once, it is in memory");
    }
    this.#director = new Director({
      clock: this.#clock,
      schedule,
      revision: () => this.#started?.revision() ?? 0,
      worldText: () => this.#worldText(),
      crash: (past, down) => this.#crash(past, down),
      lookAgain: () => this.#lookAgain(),
    });
  }

  get #givens(): Givens {
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

  async run(): Promise<Outcome> {
    const { objects, kinds } = this.#scenario;
    const life: Life = { alive: true };
    const controllers = this.#born(life);
    const [clock, random] = [this.#clock, this.#random];
    const memory = await startMemoryApi({ kinds: kindsOf(controllers, kinds), objects, clock, random });
    this.#started = { ...memory, transport: this.#noting(memory.transport) };
    try {
      this.#live(life, controllers);
      await untilStill(this.#still);
      await this.#workload();
      this.#director.story.push({ type: "workload", text: "it is over" });
      this.#director.workloadOver = true;
      this.#director.awaited();
      await this.#settled();
    } catch (error) {
      this.#trouble ??= messageOf(error);
    }
    // Nothing happens from here on, also where it never came to rest.
    if (this.#life !== undefined) this.#life.alive = false;
    const snapshot = await this.#snapshot();
    return { director: this.#director, story: this.#director.story, snapshot, trouble: this.#trouble };
  }

  /** Notes whose uids there are: in the end some of them are of objects that are gone. */
  #noting(base: Transport): Transport {
    return hooked(base, {
      call: async (_, next) => {
        const answer = await next();
        const { kind, metadata } = (answer ?? {}) as Partial<KubeObject>;
        if (kind !== undefined && metadata?.uid !== undefined) {
          this.#owners.set(metadata.uid, nameOf(answer as KubeObject));
        }
        return answer;
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
      this.#trouble ??= `how it ends cannot be told: ${messageOf(error)}`;
      return undefined;
    }
  }

  async #workload(): Promise<void> {
    try {
      await this.#scenario.workload(this.#tools());
    } catch (error) {
      if (error instanceof NeverStill) throw error;
      throw new Error(
        `the workload failed: ${messageOf(error)} (controllers may be late: does it wait, with until, for what it relies on?)`,
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

  /** In the middle of things a snapshot may fail, as long as it does not in the end. */
  #worldText(): string {
    try {
      return JSON.stringify(comparable(this.#worldState()));
    } catch (error) {
      return messageOf(error);
    }
  }

  #born(life: Life): readonly Controller[] {
    return this.#scenario.controllers(this.#worldFor(life), this.#givens);
  }

  #worldFor(life: Life): World {
    return this.#scenario.world === undefined ? this.#world : outsideOf(this.#world, this.#director, life);
  }

  #live(life: Life, controllers = this.#born(life)): void {
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
    // A process that is killed says nothing; this is only so that its timers end. Nothing it asks for is answered.
    void this.#controllers?.stop();
    this.#controllers = undefined;
    this.#comeBack(past, down).catch((error: unknown) => {
      this.#trouble ??= `the controllers cannot be started anew: ${messageOf(error)}`;
    });
  }

  async #comeBack(past: number | undefined, down: Promise<void>): Promise<void> {
    await down;
    const shown = past === undefined ? "" : ", and are shown the past for a while";
    this.#director.story.push({ type: "fault", text: `the controllers start anew${shown}` });
    this.#live({ alive: true, past });
  }

  #lookAgain(): void {
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
            const state = object === undefined ? "it is not there" : JSON.stringify(object.status ?? {});
            throw new Error(
              `${info.kind} ${JSON.stringify(which)} has not become what the workload waits for in ${longestWait}: ${state}`,
            );
          }
          await this.#pass(next - this.#clock.now());
        }
      },
    };
  }

  /** The workload's own: nothing goes wrong with it, but with what it writes the world moves on. */
  #client(): Client {
    const transport = hooked(this.#memory.transport, {
      call: (call, next) => (isWrite(call) ? this.#director.wrote(describeCall(call), next) : next()),
      close: async () => {},
    });
    return createClient({ transport, clock: this.#clock, random: this.#random });
  }

  /** Until everybody had time to rest, also from the last thing that went wrong. */
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
