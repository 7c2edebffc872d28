import type { Metric, Registry } from "prom-client";

/** Value of a metric for one set of labels. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number>> | undefined;
  /** Name of the sample if it differs from the metric's: `…_bucket`, `…_sum`, `…_count`. */
  readonly name?: string | undefined;
}

/** A metric with its current samples. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: Iterable<Sample>;
}

/** Collects metrics; called for each request to `/metrics`. */
export type MetricSource = () => Iterable<MetricFamily> | Promise<Iterable<MetricFamily>>;

let processRegistry: Promise<Registry> | undefined;

/** Metrics of the process, collected from the first request on. */
function processMetrics(): Promise<Registry> {
  processRegistry ??= import("prom-client").then(({ collectDefaultMetrics, Registry }) => {
    const register = new Registry();
    collectDefaultMetrics({ register });
    return register;
  });
  return processRegistry;
}

/** Renders all metrics in the text format of Prometheus. */
export async function renderMetrics(sources: readonly MetricSource[]): Promise<string> {
  const { Registry } = await import("prom-client");
  const register = new Registry();
  for (const source of sources) {
    for (const family of await source()) register.registerMetric(asMetric(family));
  }
  const [own, process] = await Promise.all([
    register.metrics(),
    processMetrics().then((registry) => registry.metrics()),
  ]);
  return own + process;
}

/** Adapts a metric to the part of prom-client's interface that rendering uses. */
function asMetric({ name, help, type, samples }: MetricFamily): Metric {
  const values = Array.from(samples, ({ value, labels = {}, name: metricName }) => ({
    value,
    labels,
    ...(metricName !== undefined && { metricName }),
  }));
  const metric = { name, help, type, values, aggregator: "sum" };
  return { ...metric, get: () => Promise.resolve(metric) } as unknown as Metric;
}
