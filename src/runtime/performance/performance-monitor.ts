import { systemClock, type Clock, type Timer } from "../../model/core.js";
import { computedFamily, Histograms, type Family } from "../observe/metrics/family.js";
import { Hysteresis } from "./hysteresis.js";
import {
  metricSources,
  resolveMetrics,
  resolveThresholds,
  type MetricSourceName,
  type PerformanceOptions,
  type ResolvedMetric,
  type Threshold,
} from "./options.js";
import { PercentileWindow } from "./percentile-window.js";
import { formatQuantity, type MetricUnit } from "./quantities.js";

/** A limit that is or was exceeded. */
export interface Alert {
  /** `event_processing_time.p99` */
  readonly name: string;
  readonly state: "raised" | "resolved";
  readonly metric: string;
  /** `p99`, `max` */
  readonly statistic: string;
  readonly limit: number;
  /** Value at the last change of the state, in the unit of the limit; undefined if nothing was measured. */
  readonly value?: number | undefined;
  readonly unit: MetricUnit;
  /** `event_processing_time p99 is 612ms, above its limit of 500ms` */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly raisedAt: number;
  readonly resolvedAt?: number | undefined;
}

export interface PerformanceMonitorOptions extends PerformanceOptions {
  /** Called when an alert is raised, and again when it is resolved. What it throws goes to `onError`. */
  readonly onAlert?: ((alert: Alert) => unknown) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Bytes of memory that the process uses. Default: its resident set. */
  readonly memory?: (() => number) | undefined;
  readonly clock?: Clock | undefined;
}

/** Milliseconds over which percentiles are computed, and between two looks at the thresholds. */
const window = 60_000;
const interval = 5000;
/** Resolved alerts that are listed. */
const maxResolved = 100;

interface WatchedThreshold {
  readonly threshold: Threshold;
  readonly hysteresis: Hysteresis;
  alert: Alert | undefined;
}

/**
 * Measures how long events and runs take, memory and queues, and compares them with thresholds. Options that are invalid are
 * refused with the name of the culprit.
 *
 * @example
 * const monitor = startPerformanceMonitor({
 *   thresholds: { reconciliation_duration: { p99: "10s", alert: true }, memory_usage: { max: "1GB", alert: true } },
 *   onAlert: ({ state, message }) => console.log(state, message),
 * });
 * controllers.runs.follow((run) => monitor.observe("reconciliation_duration", run.duration));
 */
export function startPerformanceMonitor(options: PerformanceMonitorOptions = {}): PerformanceMonitor {
  return new PerformanceMonitor(options);
}

export class PerformanceMonitor {
  readonly families: readonly Family[];
  readonly #clock: Clock;
  readonly #onAlert: (alert: Alert) => unknown;
  readonly #onError: (error: unknown) => void;
  readonly #memory: () => number;
  readonly #thresholds: readonly WatchedThreshold[];
  /** Windows of the sources that have thresholds. */
  readonly #windows = new Map<MetricSourceName, PercentileWindow>();
  readonly #histograms: readonly { readonly source: MetricSourceName; readonly histograms: Histograms }[];
  /** Newest values of sources that report each value. */
  readonly #newest = new Map<MetricSourceName, number>();
  readonly #queues = new Map<string, () => number>();
  readonly #resolved: Alert[] = [];
  #timer: Timer | undefined;

  constructor(options: PerformanceMonitorOptions) {
    const { clock = systemClock, onAlert = () => {}, onError = () => {} } = options;
    this.#clock = clock;
    this.#onAlert = onAlert;
    this.#onError = onError;
    this.#memory = options.memory ?? (() => process.memoryUsage.rss());
    const metrics = resolveMetrics(options);
    this.#thresholds = resolveThresholds(options, metrics).map((threshold) => ({
      threshold,
      hysteresis: new Hysteresis(threshold),
      alert: undefined,
    }));
    for (const { threshold } of this.#thresholds)
      this.#windows.set(threshold.source, new PercentileWindow(window));
    this.#histograms = metrics
      .filter(({ type }) => type === "histogram")
      .map(({ name, help, source, buckets }) => ({
        source,
        histograms: new Histograms(name, help, [], buckets),
      }));
    for (const { histograms } of this.#histograms) histograms.of();
    this.families = [
      ...this.#histograms.map(({ histograms }) => histograms),
      ...metrics.filter(({ type }) => type === "gauge").map((metric) => this.#gauge(metric)),
      ...(this.#thresholds.length === 0 ? [] : [this.#thresholdGauge()]),
    ];
    if (this.#thresholds.length > 0 || this.#histograms.some(({ source }) => isLevel(source)))
      this.#schedule();
  }

  /** Adds the duration of handling an event, or of a run, in milliseconds. */
  observe(source: "event_processing_time" | "reconciliation_duration", milliseconds: number): void {
    this.#add(source, milliseconds / 1000);
    this.#newest.set(source, milliseconds / 1000);
  }

  /** Adds a queue to `event_queue_size`; the returned function removes it. */
  addQueue(name: string, size: () => number): () => void {
    this.#queues.set(name, size);
    return () => {
      if (this.#queues.get(name) === size) this.#queues.delete(name);
    };
  }

  get hasThresholds(): boolean {
    return this.#thresholds.length > 0;
  }

  /** Raised alerts, newest first, then those that were resolved. */
  alerts(): readonly Alert[] {
    const raised = this.#thresholds.flatMap(({ alert }) => (alert === undefined ? [] : [alert]));
    return [...raised.sort((one, other) => other.raisedAt - one.raisedAt), ...this.#resolved.toReversed()];
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #schedule(): void {
    this.#timer = this.#clock.after(interval, () => {
      this.#schedule();
      this.#evaluate();
    });
  }

  #evaluate(): void {
    const now = this.#clock.now();
    for (const source of ["memory_usage", "event_queue_size"] as const) {
      if (this.#windows.has(source) || this.#histograms.some((each) => each.source === source))
        this.#add(source, this.#level(source));
    }
    for (const watched of this.#thresholds) {
      const { threshold, hysteresis } = watched;
      const value = this.#valueOf(threshold, now);
      const transition = hysteresis.add(value, now);
      if (transition === undefined || !threshold.isAlert) continue;
      const alert = alertOf(threshold, value, transition, now, watched.alert);
      watched.alert = transition === "raised" ? alert : undefined;
      if (transition === "resolved") this.#resolved.push(alert);
      if (this.#resolved.length > maxResolved) this.#resolved.shift();
      void this.#notify(alert);
    }
  }

  #add(source: MetricSourceName, value: number): void {
    this.#windows.get(source)?.add(value, this.#clock.now());
    for (const each of this.#histograms) if (each.source === source) each.histograms.of().observe(value);
  }

  #valueOf({ source, share }: Threshold, now: number): number | undefined {
    if (share !== undefined) return this.#windows.get(source)?.percentile(share, now);
    return isLevel(source) ? this.#level(source) : this.#windows.get(source)?.max(now);
  }

  #level(source: MetricSourceName): number {
    if (source === "memory_usage") return this.#memory();
    let size = 0;
    for (const queued of this.#queues.values()) size += queued();
    return size;
  }

  #gauge({ name, help, source }: ResolvedMetric): Family {
    const labels = source === "event_queue_size" ? ["queue"] : [];
    return computedFamily("gauge", name, help, labels, (addSample) => {
      if (source === "event_queue_size") for (const [queue, size] of this.#queues) addSample(size(), queue);
      else if (source === "memory_usage") addSample(this.#memory());
      else addSample(this.#newest.get(source) ?? 0);
    });
  }

  #thresholdGauge(): Family {
    const help = "1 while a threshold of performance.thresholds is exceeded.";
    return computedFamily(
      "gauge",
      "fettle_threshold_exceeded",
      help,
      ["metric", "statistic"],
      (addSample) => {
        for (const { threshold, hysteresis } of this.#thresholds)
          addSample(hysteresis.isExceeded ? 1 : 0, threshold.metric, threshold.statistic);
      },
    );
  }

  async #notify(alert: Alert): Promise<void> {
    try {
      await this.#onAlert(alert);
    } catch (error) {
      this.#onError(error);
    }
  }
}

function isLevel(source: MetricSourceName): boolean {
  return metricSources[source].isLevel;
}

function alertOf(
  { name, metric, statistic, limit, unit }: Threshold,
  value: number | undefined,
  state: Alert["state"],
  now: number,
  raised: Alert | undefined,
): Alert {
  const shown = value === undefined ? "without a value" : formatQuantity(value, unit);
  const text = formatQuantity(limit, unit);
  const message =
    state === "raised"
      ? `${metric} ${statistic} is ${shown}, above its limit of ${text}`
      : `${metric} ${statistic} is ${shown}, below its limit of ${text} again`;
  return {
    name,
    state,
    metric,
    statistic,
    limit,
    ...(value !== undefined && { value }),
    unit,
    message,
    raisedAt: raised?.raisedAt ?? now,
    ...(state === "resolved" && { resolvedAt: now }),
  };
}
