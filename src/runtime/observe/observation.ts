import type { Clock, KubeObject } from "../../model/core.js";
import type { ControllerHandle } from "../loop/controller-handle.js";
import type { Dependencies } from "../loop/dependencies.js";
import { Detectors, type DetectorOptions } from "./findings/detectors.js";
import type { Finding } from "./findings/finding.js";
import type { Log } from "./log.js";
import { controllerMetrics, type Metrics } from "./metrics.js";
import type { Watched } from "./metrics/lookups.js";
import { observers, type Observer } from "./observer.js";
import { isTraced, traces, type OpenTelemetry } from "./traces.js";

export interface ObservationOptions {
  /** Metrics made with `controllerMetrics()`; by default some of their own, false for none. */
  readonly metrics?: Metrics | false | undefined;
  /**
   * Spans of OpenTelemetry. By default there are some when an SDK was set up before the controllers start; true to load
   * the API anyway, or the API itself, when yours is another copy than Fettle's.
   */
  readonly traces?: boolean | OpenTelemetry | undefined;
  /** Thresholds for hot loops and field fights; false for no detection. */
  readonly detectors?: DetectorOptions | false | undefined;
  /** Is told of runs, steps and writes as well. */
  readonly observer?: Observer | undefined;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  note: Dependencies["note"];
  /** The controller of a name. */
  handle(controller: string): ControllerHandle;
}

/** All that looks on while controllers work. */
export class Observation {
  readonly metrics: Metrics | undefined;
  readonly #detectors: Detectors | undefined;
  readonly #options: ObservationOptions;
  readonly #log: Log;
  readonly #clock: Clock;
  #observer: Observer;
  #unwatch: () => void = () => {};

  constructor(options: ObservationOptions, surroundings: Surroundings) {
    const { clock, log } = surroundings;
    this.#options = options;
    this.#log = log;
    this.#clock = clock;
    this.metrics = options.metrics === false ? undefined : (options.metrics ?? controllerMetrics());
    if (options.detectors !== false) {
      this.#detectors = new Detectors(options.detectors ?? {}, {
        log,
        objectOf: (controller, kind, key) => cached(surroundings.handle(controller), kind, key),
        recordEvent: (controller, object, reason, message) =>
          surroundings.note(controller, object, reason, message, "Warning"),
        onFinding: (finding) => this.metrics?.found(finding),
      });
    }
    this.#observer = this.#all(undefined);
  }

  /** What runs tell; spans are part of it once `load` has resolved. */
  get observer(): Observer {
    return this.#observer;
  }

  /** Loads what takes long to load, if it is wanted. */
  async load(): Promise<void> {
    const { traces: wanted = isTraced() } = this.#options;
    if (wanted === false) return;
    try {
      this.#observer = this.#all(await traces(wanted === true ? {} : { api: wanted }));
    } catch (error) {
      this.#log.warn({ err: error }, "there are no traces: OpenTelemetry's API could not be loaded");
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

  /** Spans are around everything else. */
  #all(spans: Observer | undefined): Observer {
    const all = [spans, this.metrics?.observer, this.#detectors, this.#options.observer];
    return observers(
      all.filter((each) => each !== undefined),
      (error, { controller, kind, key, runId: run }) =>
        this.#log.error({ controller, object: `${kind} ${key}`, run, err: error }, "an observer failed"),
    );
  }
}

/** An object as one of the controller's caches has it, if one does: the same name may stand for kinds of several groups. */
function cached({ controller, loop }: ControllerHandle, kind: string, key: string): KubeObject | undefined {
  if (loop === undefined || !loop.isStarted) return undefined;
  if (controller.options.for.kind === kind) return loop.sources.objects.get(key);
  const owned = controller.owns.find((each) => each.kind === kind);
  return owned && loop.sources.cacheOf(owned).get(key);
}
