import { duration, type Duration } from "../../model/core.js";
import type { HysteresisOptions } from "./hysteresis.js";
import { quantityOf, type MetricUnit } from "./quantities.js";

/** What a metric measures. */
export type MetricSourceName =
  /** Time that handling an event took. */
  | "event_processing_time"
  /** Time that a run of a controller took. */
  | "reconciliation_duration"
  /** Memory of the process (resident set). */
  | "memory_usage"
  /** Events and objects that wait to be handled. */
  | "event_queue_size";

/** A metric with a name and buckets of one's own, besides those that exist under the names of Kubernetes. */
export interface MetricDefinition {
  /** Name in `/metrics`; also the source, unless `source` is given. */
  readonly name: string;
  /** `histogram`: the distribution of values. `gauge`: the newest value. Default: that of the source. */
  readonly type?: "histogram" | "gauge" | undefined;
  /** Upper bounds of a histogram, ascending: in seconds, bytes or numbers. Default: those of the source. */
  readonly buckets?: readonly number[] | undefined;
  /** What is measured: `event_processing_time`, `reconciliation_duration`, `memory_usage` or `event_queue_size`. */
  readonly source?: string | undefined;
}

/** Limits of a metric. Several may be set; each has its own alert. */
export interface ThresholdOptions {
  /** Limits of percentiles over the last minute: `p99: "500ms"`. */
  readonly [percentile: `p${number}`]: number | string | undefined;
  /** Limit of the largest value: of the last minute, of memory and queues the present one. */
  readonly max?: number | string | undefined;
  /** Raises an alert. Otherwise the threshold is a metric only. Default: false. */
  readonly alert?: boolean | undefined;
  /** Time for which the limit has to be exceeded. Default: 30s. */
  readonly for?: Duration | undefined;
  /** Time for which values have to be below 90 % of the limit before an alert is resolved. Default: 1m. */
  readonly resolveAfter?: Duration | undefined;
}

/** Metrics under names of one's own, and limits that raise alerts. */
export interface PerformanceOptions {
  /** Default: all four sources, under their names. */
  readonly metrics?: readonly MetricDefinition[] | undefined;
  /** By the name of a metric, or of a source. */
  readonly thresholds?: Readonly<Record<string, ThresholdOptions>> | undefined;
}

interface SourceDescription {
  readonly unit: MetricUnit;
  /** Levels are read when they are needed; other sources report each value. */
  readonly isLevel: boolean;
  readonly type: "histogram" | "gauge";
  readonly buckets: readonly number[];
  readonly help: string;
}

const mebibyte = 2 ** 20;

export const metricSources: Readonly<Record<MetricSourceName, SourceDescription>> = {
  event_processing_time: {
    unit: "seconds",
    isLevel: false,
    type: "histogram",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5],
    help: "Time that handling an event took, in seconds.",
  },
  reconciliation_duration: {
    unit: "seconds",
    isLevel: false,
    type: "histogram",
    buckets: [1, 5, 10, 30, 60, 300],
    help: "Time that a run of a controller took, in seconds.",
  },
  memory_usage: {
    unit: "bytes",
    isLevel: true,
    type: "gauge",
    buckets: [64, 128, 256, 512, 1024, 2048, 4096].map((size) => size * mebibyte),
    help: "Memory of the process, in bytes.",
  },
  event_queue_size: {
    unit: "count",
    isLevel: true,
    type: "gauge",
    buckets: [1, 10, 100, 1000, 10_000, 100_000],
    help: "Events and objects that wait to be handled.",
  },
};

/** A validated metric. */
export interface ResolvedMetric extends SourceDescription {
  readonly name: string;
  readonly source: MetricSourceName;
}

/** A validated limit of one statistic. */
export interface Threshold extends HysteresisOptions {
  /** `event_processing_time.p99` */
  readonly name: string;
  readonly metric: string;
  readonly source: MetricSourceName;
  /** `p99`, `max` */
  readonly statistic: string;
  /** Share of a percentile, such as 0.99; undefined for the maximum. */
  readonly share: number | undefined;
  readonly unit: MetricUnit;
  readonly isAlert: boolean;
}

const isSource = (name: string): name is MetricSourceName => Object.hasOwn(metricSources, name);
const sourceNames = Object.keys(metricSources).join(", ");

/** @throws {RangeError} that names the metric and what is wrong with it. */
export function resolveMetrics({ metrics }: PerformanceOptions): readonly ResolvedMetric[] {
  const defaults = Object.keys(metricSources).map((name) => ({ name }));
  const names = new Set<string>();
  return (metrics ?? defaults).map((definition: MetricDefinition) => {
    const { name, source = name } = definition;
    const fail = (problem: string): never => {
      throw new RangeError(`performance metric ${JSON.stringify(name)}: ${problem}`);
    };
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) fail("a name has letters, digits and _ only");
    if (names.has(name)) fail("there are two of that name");
    names.add(name);
    if (!isSource(source))
      return fail(`nothing is measured as ${source}; set source to one of ${sourceNames}`);
    const described = metricSources[source];
    const { type = described.type, buckets = described.buckets } = definition;
    if (type !== "histogram" && type !== "gauge") fail(`type is ${String(type)}: use histogram or gauge`);
    if (type === "gauge" && definition.buckets !== undefined) fail("a gauge has no buckets");
    const isAscending = buckets.every(
      (bound, index) => Number.isFinite(bound) && (index === 0 || bound > (buckets[index - 1] ?? 0)),
    );
    if (buckets.length === 0 || !isAscending) fail("buckets are ascending numbers, at least one");
    const { unit, isLevel, help } = described;
    return { name, source, type, buckets, unit, isLevel, help };
  });
}

/** @throws {RangeError} that names the threshold and what is wrong with it. */
export function resolveThresholds(
  { thresholds = {} }: PerformanceOptions,
  metrics: readonly ResolvedMetric[],
): readonly Threshold[] {
  return Object.entries(thresholds).flatMap(([metric, options]) => {
    const fail = (problem: string): never => {
      throw new RangeError(`performance threshold ${metric}: ${problem}`);
    };
    const source = metrics.find(({ name }) => name === metric)?.source ?? metric;
    if (!isSource(source))
      return fail(`there is no such metric; use one of ${sourceNames}, or the name of a metric`);
    const { alert = false, for: lasting = "30s", resolveAfter = "1m", ...limits } = options;
    if (typeof alert !== "boolean") fail(`alert is ${String(alert)}: use true or false`);
    const { unit } = metricSources[source];
    const all = Object.entries(limits).flatMap(([statistic, limit]): Threshold[] => {
      if (limit === undefined) return [];
      const share = shareOf(statistic);
      if (share === undefined && statistic !== "max") {
        fail(`unknown key ${statistic}: use max, a percentile such as p99, alert, for or resolveAfter`);
      }
      const attempt = <T>(key: string, read: () => T): T => {
        try {
          return read();
        } catch (error) {
          return fail(`${key}: ${error instanceof Error ? error.message : String(error)}`);
        }
      };
      return [
        {
          name: `${metric}.${statistic}`,
          metric,
          source,
          statistic,
          share,
          unit,
          isAlert: alert,
          limit: attempt(statistic, () => quantityOf(limit, unit)),
          raiseAfter: attempt("for", () => duration(lasting)),
          resolveAfter: attempt("resolveAfter", () => duration(resolveAfter)),
          resolveBelow: 0.9,
        },
      ];
    });
    return all.length > 0 ? all : fail("it has no limit; set max, or a percentile such as p99");
  });
}

/** Share of `p99` or `p99.9`; undefined for other text. */
function shareOf(statistic: string): number | undefined {
  const [, digits] = /^p(\d{1,2}(?:\.\d+)?)$/.exec(statistic) ?? [];
  const share = Number(digits) / 100;
  return digits !== undefined && share > 0 ? share : undefined;
}
