import type { Metric, Registry } from "prom-client";
import type { Family } from "./family.js";

/** Adds metrics to a registry of prom-client; each is worked out when the registry is read. */
export function register(registry: Registry, families: Iterable<Family>): void {
  for (const family of families) registry.registerMetric(asMetric(family));
}

/** A registry of its own. prom-client takes long to load, so it is loaded when it is first needed. */
export async function newRegistry(families: Iterable<Family>): Promise<Registry> {
  const { Registry } = await import("prom-client");
  const registry = new Registry();
  register(registry, families);
  return registry;
}

/** Interface that prom-client requires of a metric. */
function asMetric(family: Family): Metric {
  const { help, type } = family;
  const metric = {
    // The registry changes it when it writes OpenMetrics, where names of counters have no ending of their own.
    name: family.name,
    help,
    type,
    aggregator: "sum",
    get: async () => ({
      name: metric.name,
      help,
      type,
      aggregator: "sum",
      values: Array.from(family.samples(), ({ value, labels, name: metricName }) => ({
        value,
        labels,
        ...(metricName !== undefined && { metricName }),
      })),
    }),
    reset() {},
  };
  return metric as unknown as Metric;
}
