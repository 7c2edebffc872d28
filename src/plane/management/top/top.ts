import { sleep, type Clock } from "../../../model/core.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { Store } from "../../../store/index.js";
import type { Top } from "../contract.js";
import { stateOf } from "../controllers/controller-states.js";
import { RunMeter } from "./run-meter.js";

/** How long the processor is watched for a single answer, in milliseconds. */
const glance = 100;

/** Tells how busy a control plane is. Runs are counted from the first question on. */
export class TopMeter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #began: number;
  #meter: { readonly of: Controllers; readonly runs: RunMeter } | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#began = clock.now();
  }

  async once(controllers: Controllers): Promise<Top> {
    const processor = new Processor();
    await new Promise((resolve) => setTimeout(resolve, glance));
    return this.#top(controllers, processor);
  }

  async *follow(
    controllers: Controllers,
    every: number,
    signal: AbortSignal,
  ): AsyncGenerator<Top, void, undefined> {
    const processor = new Processor();
    try {
      for (let wait = Math.min(glance, every); ; wait = every) {
        await sleep(this.#clock, wait, signal);
        yield await this.#top(controllers, processor);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #top(controllers: Controllers, processor: Processor): Promise<Top> {
    const runs = this.#runs(controllers);
    const { rss, heapUsed, external } = process.memoryUsage();
    const at = this.#clock.now();
    return {
      at,
      uptime: at - this.#began,
      memory: { rss, heapUsed, external },
      cpu: processor.used(),
      revision: (await this.#store.status()).revision,
      controllers: controllers.all.map((handle) => ({ ...stateOf(handle), ...runs.ratesOf(handle.name) })),
      informers: controllers.informers.states().map(({ kind, size, synced, users }) => ({
        kind: kind.kind,
        size,
        synced,
        users,
      })),
    };
  }

  #runs(controllers: Controllers): RunMeter {
    if (this.#meter?.of !== controllers) {
      this.#meter?.runs.end();
      this.#meter = { of: controllers, runs: new RunMeter(controllers, this.#clock) };
    }
    return this.#meter.runs;
  }
}

/** How much of one processor this process has used since the last time it was asked. */
class Processor {
  #usage = process.cpuUsage();
  #at = performance.now();

  used(): number {
    const { user, system } = process.cpuUsage(this.#usage);
    const elapsed = performance.now() - this.#at;
    this.#usage = process.cpuUsage();
    this.#at = performance.now();
    return elapsed <= 0 ? 0 : (user + system) / 1000 / elapsed;
  }
}
