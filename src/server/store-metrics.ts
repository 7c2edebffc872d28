import type { Clock } from "../model/core.js";
import type { Store } from "../store/index.js";
import type { MetricFamily, MetricSource, Sample } from "./http/metrics/prometheus.js";
import type { ResourceTypes } from "./resources/resource-types.js";

/** How long a count of all objects stands: counting a million takes a tenth of a second. */
const countAge = 60_000;

/** What there is to know of a store: how far it is, how far back it goes, and how many objects of each kind it holds. */
export function storeMetrics(store: Store, types: ResourceTypes, clock: Clock): MetricSource {
  let counted: { at: number; generation: number; samples: readonly Sample[] } | undefined;

  const count = async (): Promise<readonly Sample[]> => {
    const at = clock.now();
    const { generation } = types;
    if (counted?.generation === generation && at - counted.at < countAge) return counted.samples;
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
      gauge("fettle_store_revision", "The newest revision of the store.", [{ value: revision }]),
      gauge("fettle_store_floor", "The oldest revision that can still be read.", [{ value: floor }]),
      gauge("apiserver_storage_objects", "Stored objects by kind, counted once a minute.", await count()),
    ];
  };
}

function gauge(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name, help, type: "gauge", samples };
}
