import type { Clock } from "../model/core.js";
import type { Store } from "../store/index.js";
import type { MetricFamily, MetricSource, Sample } from "./http/metrics/prometheus.js";
import type { ResourceTypes } from "./resources/resource-types.js";

/** Milliseconds for which object counts are cached: counting a million takes 0.1 s. */
const countMaxAge = 60_000;

/** Metrics of a store: newest and oldest revision, and the number of objects of each kind. */
export function storeMetrics(store: Store, types: ResourceTypes, clock: Clock): MetricSource {
  let counted: { at: number; generation: number; samples: readonly Sample[] } | undefined;

  const count = async (): Promise<readonly Sample[]> => {
    const at = clock.now();
    const { generation } = types;
    if (counted?.generation === generation && at - counted.at < countMaxAge) return counted.samples;
    const samples: Sample[] = [];
    for (const { group, plural, storage } of types.distinct) {
      const { count } = await store.count({ prefix: storage.prefix });
      samples.push({ value: count, labels: { resource: group === "" ? plural : `${plural}.${group}` } });
    }
    counted = { at, generation, samples };
    return samples;
  };

  return async (): Promise<MetricFamily[]> => {
    const { revision, floor } = await store.status();
    return [
      gauge("fettle_store_revision", "Newest revision of the store.", [{ value: revision }]),
      gauge("fettle_store_floor", "Oldest revision that can still be read.", [{ value: floor }]),
      gauge(
        "apiserver_storage_objects",
        "Stored objects by kind, counted at most once a minute.",
        await count(),
      ),
    ];
  };
}

function gauge(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name, help, type: "gauge", samples };
}
