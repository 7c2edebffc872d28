import type { Registry } from "prom-client";
import type { RequestInfo } from "../../client/transport/http/http-transport.js";
import type { BreakerEvent } from "../breaker/breaker.js";
import type { QueueObserver } from "../queue/options.js";
import type { Trigger } from "../runs/run.js";
import type { ScheduleObserver } from "../schedule/start-schedule.js";
import type { Finding } from "./findings/finding.js";
import type { Observer } from "./observer.js";
import { ControllerCounts } from "./metrics/controller-series.js";
import { Counters, Histograms, type Family, type Sample } from "./metrics/family.js";
import { computedFamilies, type Polling, type Watched } from "./metrics/computed-families.js";
import { newRegistry, register } from "./metrics/registry.js";
import { ScheduleCounts } from "./metrics/schedule-series.js";

export interface MetricsOptions {
  /** A prom-client registry to add them to. Default: a new one, never the global one. */
  readonly registry?: Registry | undefined;
}

/** Current values of a metric. */
export interface MetricFamily extends Pick<Family, "name" | "help" | "type"> {
  readonly samples: Iterable<Sample>;
}

/** client-go's buckets for request durations, in seconds. */
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/**
 * Creates metrics of controllers, under the names that dashboards for Kubernetes controllers use. Create them yourself to count
 * the requests of an HTTP transport, too, or to have several sets of controllers in one registry; otherwise
 * `startControllers` creates its own.
 *
 * @example
 * const metrics = controllerMetrics();
 * const client = createClient({ transport: httpTransport({ connection, onRequest: metrics.onRequest }) });
 * const controllers = startControllers({ controllers: [sites], client, metrics });
 * console.log(await controllers.metrics?.text());
 */
export function controllerMetrics(options: MetricsOptions = {}): Metrics {
  return new Metrics(options);
}

/**
 * Metrics of controllers. Events are counted in plain fields, and gauges are read from their sources on demand: prom-client is
 * loaded only when the metrics are read.
 */
export class Metrics {
  readonly #controllers = new ControllerCounts();
  readonly #schedules = new ScheduleCounts();
  readonly #requests = new Counters(
    "rest_client_requests_total",
    "Requests to the API server by status code.",
    ["code", "method", "host"],
  );
  readonly #requestTime = new Histograms(
    "rest_client_request_duration_seconds",
    "Duration of requests; of a watch, until it starts.",
    ["verb", "host"],
    requestBuckets,
  );
  readonly #limited = new Histograms(
    "rest_client_rate_limiter_duration_seconds",
    "Time that requests waited for the rate limit of the client.",
    ["verb", "host"],
    requestBuckets,
  );
  readonly #breakerCalls = new Counters(
    "fettle_breaker_calls_total",
    "Calls through circuit breakers by outcome.",
    ["breaker", "outcome"],
  );
  readonly #hotLoops = new Counters(
    "fettle_hot_loops_total",
    "Hot loops found: objects that a controller runs again and again.",
    ["controller"],
  );
  readonly #fights = new Counters(
    "fettle_fights_total",
    "Fights found: fields that two managers keep changing.",
    ["controller"],
  );
  readonly #watched = new Set<Watched>();
  readonly #pollers = new Set<Polling>();
  readonly #families: Family[];
  #registry: Registry | Promise<Registry> | undefined;

  constructor({ registry }: MetricsOptions = {}) {
    this.#families = [
      ...this.#controllers.families,
      ...computedFamilies(this.#watched, this.#pollers, (controller, depth) =>
        this.#controllers.of(controller).adds(depth),
      ),
      ...this.#schedules.families,
      this.#requests,
      this.#requestTime,
      this.#limited,
      this.#breakerCalls,
      this.#hotLoops,
      this.#fights,
    ];
    if (registry !== undefined) register(registry, this.#families);
    this.#registry = registry;
  }

  /** For the option `onRequest` of `httpTransport`. */
  readonly onRequest = ({ code, method, verb, host, duration, waited }: RequestInfo): void => {
    this.#requests.of(String(code), method, host).value++;
    this.#requestTime.of(verb, host).observe(duration / 1000);
    this.#limited.of(verb, host).observe(waited / 1000);
  };

  /** Counts the runs of controllers. */
  readonly observer: Observer = {
    ended: (run) => this.#controllers.of(run.controller).ended(run),
    lingering: ({ controller }) => void this.#controllers.of(controller).counts.lingering.value++,
  };

  /** Counts passes of schedules. */
  get scheduleObserver(): ScheduleObserver {
    return this.#schedules;
  }

  queueObserver(controller: string): QueueObserver<Trigger> {
    return this.#controllers.of(controller);
  }

  found({ type, controller }: Finding): void {
    (type === "fight" ? this.#fights : this.#hotLoops).of(controller).value++;
  }

  /** Adds metrics of other parts, such as the event pipeline. */
  add(families: readonly Family[]): void {
    this.#families.push(...families);
    const registry = this.#registry;
    if (registry !== undefined) void Promise.resolve(registry).then((made) => register(made, families));
  }

  /** Adds a poller that no controller reads from; the returned function removes it. */
  poller(poller: Polling): () => void {
    this.#pollers.add(poller);
    return () => void this.#pollers.delete(poller);
  }

  /** Adds the gauges of running controllers; the returned function removes them. */
  watch(watched: Watched): () => void {
    this.#watched.add(watched);
    for (const { name } of watched.controllers) {
      this.#controllers.of(name);
      this.#hotLoops.of(name);
      this.#fights.of(name);
    }
    const stopListening = watched.breakers.listen((event: BreakerEvent) => {
      if (event.type === "call") this.#breakerCalls.of(event.name, event.outcome).value++;
    });
    return () => {
      this.#watched.delete(watched);
      stopListening();
    };
  }

  /** Current values of all metrics, for other formats. */
  families(): readonly MetricFamily[] {
    return this.#families.map((family) => ({
      name: family.name,
      help: family.help,
      type: family.type,
      samples: [...family.samples()],
    }));
  }

  /** The registry that contains them. */
  async registry(): Promise<Registry> {
    this.#registry ??= newRegistry(this.#families);
    return this.#registry;
  }

  /** In Prometheus' text format. */
  async text(): Promise<string> {
    return (await this.registry()).metrics();
  }
}
