import { sleep, type Clock } from "../../../model/core.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { Store } from "../../../store/index.js";
import type { Monitoring } from "../../monitoring/start-monitoring.js";
import type { Top } from "../contract.js";
import { controllerState } from "../controllers/controller-states.js";
import { RunMeter } from "./run-meter.js";

/** Milliseconds over which processor usage is measured for a single response. */
const sampleTime = 100;

/** Measures how busy a control plane is. Runs are counted from the first request on. */
export class TopMeter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** Undefined until monitoring has started. */
  readonly #monitoring: () => Monitoring | undefined;
  #meter: { readonly of: Controllers; readonly runs: Promise<RunMeter> } | undefined;

  constructor(store: Store, clock: Clock, monitoring: () => Monitoring | undefined) {
    this.#monitoring = monitoring;
    this.#store = store;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  async once(controllers: Controllers): Promise<Top> {
    const processor = new ProcessorMeter();
    await new Promise((resolve) => setTimeout(resolve, sampleTime));
    return this.#top(controllers, processor);
  }

  async *follow(
    controllers: Controllers,
    every: number,
    signal: AbortSignal,
  ): AsyncGenerator<Top, void, undefined> {
    const processor = new ProcessorMeter();
    try {
      for (let wait = Math.min(sampleTime, every); ; wait = every) {
        await sleep(this.#clock, wait, signal);
        yield await this.#top(controllers, processor);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #top(controllers: Controllers, processor: ProcessorMeter): Promise<Top> {
    const runs = await this.#runs(controllers);
    const { rss, heapUsed, external } = process.memoryUsage();
    const at = this.#clock.now();
    const monitoring = this.#monitoring();
    const alerts = monitoring?.performance?.alerts() ?? [];
    return {
      at,
      health: monitoring?.health.last,
      alerts: alerts.filter(({ state }) => state === "raised"),
      findings: controllers.findings(),
      uptime: at - this.#startedAt,
      memory: { rss, heapUsed, external },
      cpu: processor.usage(),
      revision: (await this.#store.status()).revision,
      controllers: controllers.all.map((handle) => ({
        ...controllerState(handle),
        ...runs.ratesOf(handle.name),
        holds: handle.loop?.queue.holds() ?? [],
      })),
      informers: controllers.informers.states().map(({ kind, size, synced, users }) => ({
        kind: kind.kind,
        size,
        synced,
        users,
      })),
    };
  }

  #runs(controllers: Controllers): Promise<RunMeter> {
    if (this.#meter?.of !== controllers) {
      void this.#meter?.runs.then((meter) => meter.end());
      this.#meter = { of: controllers, runs: RunMeter.start(controllers, this.#clock) };
    }
    return this.#meter.runs;
  }
}

/** Measures processor usage between two calls; 1 is one processor. */
class ProcessorMeter {
  #usage = process.cpuUsage();
  #at = performance.now();

  usage(): number {
    const { user, system } = process.cpuUsage(this.#usage);
    const elapsed = performance.now() - this.#at;
    this.#usage = process.cpuUsage();
    this.#at = performance.now();
    return elapsed <= 0 ? 0 : (user + system) / 1000 / elapsed;
  }
}
