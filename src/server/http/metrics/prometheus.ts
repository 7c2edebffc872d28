import type { Metric, Registry } from "prom-client";

/** One number of a metric, with the labels that tell it from the others. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number>> | undefined;
  /** Where it is not the metric's own: `…_bucket`, `…_sum`, `…_count`. */
  readonly name?: string | undefined;
}

/** A metric as it stands now. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: Iterable<Sample>;
}

/** Tells its metrics when asked. */
export type MetricSource = () => Iterable<MetricFamily> | Promise<Iterable<MetricFamily>>;

let standing: Promise<Registry> | undefined;

/** Numbers about the process: collected from the first time that somebody asks for them. */
function processMetrics(): Promise<Registry> {
  standing ??= import("prom-client").then(({ collectDefaultMetrics, Registry }) => {
    const register = new Registry();
    collectDefaultMetrics({ register });
    return register;
  });
  return standing;
}

/** All metrics in Prometheus' text format. */
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

/** What prom-client asks of a metric to print it. */
function asMetric({ name, help, type, samples }: MetricFamily): Metric {
  const values = Array.from(samples, ({ value, labels = {}, name: metricName }) => ({
    value,
    labels,
    ...(metricName !== undefined && { metricName }),
  }));
  const metric = { name, help, type, values, aggregator: "sum" };
  return { ...metric, get: () => Promise.resolve(metric) } as unknown as Metric;
}
