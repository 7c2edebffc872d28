import type { Clock, KubeObject } from "../../model/core.js";
import { Detectors, type DetectorOptions } from "./findings/detectors.js";
import type { Finding } from "./findings/finding.js";
import type { Log } from "../log/log.js";
import { controllerMetrics, type Metrics } from "./metrics.js";
import type { Watched } from "./metrics/computed-families.js";
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
  /** Thresholds for hot loops and field fights; false for no detection. */
  readonly detectors?: DetectorOptions | false | undefined;
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
  readonly #detectors: Detectors | undefined;
  readonly #options: ObservationOptions;
  readonly #log: Log;
  readonly #clock: Clock;
  #observer: Observer;
  #unwatch: () => void = () => {};

  constructor(options: ObservationOptions, context: ObservationContext) {
    const { clock, log } = context;
    this.#options = options;
    this.#log = log;
    this.#clock = clock;
    this.metrics = options.metrics === false ? undefined : (options.metrics ?? controllerMetrics());
    if (options.detectors !== false) {
      this.#detectors = new Detectors(options.detectors ?? {}, {
        log,
        objectOf: context.objectOf,
        recordEvent: context.warn,
        onFinding: (finding) => this.metrics?.found(finding),
      });
    }
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

  findings(): readonly Finding[] {
    return this.#detectors?.list(this.#clock.now()) ?? [];
  }

  end(): void {
    this.#unwatch();
  }

  /** Traces come first, so that they wrap the others. */
  #all(spans: Observer | undefined): Observer {
    const all = [spans, this.metrics?.observer, this.#detectors, this.#options.observer];
    return observers(
      all.filter((each) => each !== undefined),
      (error, { controller, kind, key, runId: run }) =>
        this.#log.error({ controller, object: `${kind} ${key}`, run, err: error }, "an observer failed"),
    );
  }
}
