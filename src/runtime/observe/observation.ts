import type { Clock, JsonObject, KubeObject } from "../../model/core.js";
import { describe } from "../controller/keys.js";
import { fieldManagerOf } from "../controller/names.js";
import { Detectors, type DetectorOptions } from "./findings/detectors.js";
import type { Finding } from "./findings/finding.js";
import type { Log } from "../log/log.js";
import { controllerMetrics, type Metrics } from "./metrics.js";
import type { Watched } from "./metrics/lookups.js";
import { observers, type Observer } from "./observer.js";
import { isTraced, traces, type OpenTelemetry } from "./traces.js";

export interface ObservationOptions {
  /** Metrics made with `controllerMetrics()`. Default: new ones; false for none. */
  readonly metrics?: Metrics | false | undefined;
  /**
   * OpenTelemetry spans. Default: if an SDK was set up before the controllers start. True loads the API in any case; pass the API
   * itself if your copy differs from Fettle's.
   */
  readonly traces?: boolean | OpenTelemetry | undefined;
  /** Thresholds for hot loops and fights over fields. */
  readonly detectors?: DetectorOptions | undefined;
  /** Another observer of runs, steps and writes. */
  readonly observer?: Observer | undefined;
}

interface ObservationContext {
  readonly clock: Clock;
  readonly log: Log;
  warn(this: void, controller: string, object: KubeObject, reason: string, message: string): void;
  /** An object from a cache of the controller; undefined if no cache has it. */
  objectOf(this: void, controller: string, kind: string, key: string): KubeObject | undefined;
}

/** Metrics, traces and detectors of running controllers. */
export class Observation {
  readonly metrics: Metrics | undefined;
  readonly #detectors: Detectors;
  readonly #options: ObservationOptions;
  readonly #log: Log;
  #observer: Observer;
  #unwatch: () => void = () => {};

  constructor(options: ObservationOptions, context: ObservationContext) {
    const { clock, log } = context;
    this.#options = options;
    this.#log = log;
    this.metrics = options.metrics === false ? undefined : (options.metrics ?? controllerMetrics());
    this.#detectors = new Detectors({
      ...options.detectors,
      log,
      now: () => clock.now(),
      managerOf: fieldManagerOf,
      objectOf: context.objectOf,
      note: context.warn,
      onFinding: (finding) => this.metrics?.found(finding),
    });
    this.#observer = this.#all(undefined);
  }

  /** Observer of runs; includes traces once `load` has resolved. */
  get observer(): Observer {
    return this.#observer;
  }

  /** Loads OpenTelemetry, if it is used. */
  async load(): Promise<void> {
    const { traces: wanted = isTraced() } = this.#options;
    if (wanted === false) return;
    try {
      this.#observer = this.#all(await traces(wanted === true ? {} : { api: wanted }));
    } catch (error) {
      this.#log.warn({ err: error }, "no traces: OpenTelemetry's API could not be loaded");
    }
  }

  watch(watched: Watched): void {
    this.#unwatch = this.metrics?.watch(watched) ?? this.#unwatch;
  }

  drifted(controller: string, owner: KubeObject, desired: JsonObject, current: KubeObject): void {
    try {
      this.#detectors.drifted(controller, owner, desired, current);
    } catch (error) {
      const facts = { controller, object: describe(current) };
      this.#log.warn({ ...facts, err: error }, "could not determine which other manager changes a child");
    }
  }

  findings(): readonly Finding[] {
    return this.#detectors.list();
  }

  end(): void {
    this.#unwatch();
  }

  /** Traces come first, so that they wrap the others. */
  #all(spans: Observer | undefined): Observer {
    const all = [spans, this.metrics?.observer, this.#detectors.observer, this.#options.observer];
    return observers(
      all.filter((each) => each !== undefined),
      (error, { controller, kind, key, runId: run }) =>
        this.#log.error({ controller, object: `${kind} ${key}`, run, err: error }, "an observer failed"),
    );
  }
}
