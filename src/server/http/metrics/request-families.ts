import type { InFlight } from "../limits/in-flight.js";
import type { MetricFamily, MetricSource, Sample } from "./prometheus.js";
import type { RequestMetrics, RequestSeries } from "./request-metrics.js";

const kinds = ["readOnly", "mutating"] as const;

/** Request metrics, named as in Kubernetes so that existing dashboards work. */
export function requestFamilies(metrics: RequestMetrics, inFlight: InFlight): MetricSource {
  return (): MetricFamily[] => {
    const all = [...metrics.all];
    const watches = all.filter(({ labels }) => labels.verb === "WATCH");
    return [
      {
        name: "apiserver_request_total",
        help: "Completed requests by verb, resource and status code.",
        type: "counter",
        samples: all.flatMap(codeSamples),
      },
      {
        name: "apiserver_request_duration_seconds",
        help: "Duration of requests in seconds, without watches.",
        type: "histogram",
        samples: all.flatMap((series) => Array.from(durationSamples(series))),
      },
      {
        name: "apiserver_longrunning_requests",
        help: "Open watches.",
        type: "gauge",
        samples: watches.map(({ labels, open }) => ({ labels: { ...labels }, value: open })),
      },
      {
        name: "apiserver_watch_events_total",
        help: "Events sent to watches.",
        type: "counter",
        samples: watches.map(({ labels, events }) => ({ labels: withoutVerb(labels), value: events })),
      },
      {
        name: "apiserver_current_inflight_requests",
        help: "Running requests, weighted by cost; a list costs more the larger its limit.",
        type: "gauge",
        samples: kinds.map((kind) => ({ labels: { request_kind: kind }, value: inFlight[kind].running })),
      },
      {
        name: "apiserver_current_inqueue_requests",
        help: "Queued requests.",
        type: "gauge",
        samples: kinds.map((kind) => ({ labels: { request_kind: kind }, value: inFlight[kind].queued })),
      },
      {
        name: "apiserver_dropped_requests_total",
        help: "Requests rejected with 429.",
        type: "counter",
        samples: Object.entries(metrics.dropped).map(([kind, value]) => ({
          labels: { request_kind: kind },
          value,
        })),
      },
    ];
  };
}

function codeSamples({ labels, codes }: RequestSeries): Sample[] {
  return Array.from(codes, ([code, value]) => ({ labels: { ...labels, code }, value }));
}

function* durationSamples({ labels, duration }: RequestSeries): Generator<Sample> {
  const name = "apiserver_request_duration_seconds";
  let total = 0;
  for (const [index, count] of duration.counts.entries()) {
    total += count;
    const le = duration.buckets[index] ?? "+Inf";
    yield { name: `${name}_bucket`, labels: { ...labels, le }, value: total };
  }
  yield { name: `${name}_sum`, labels: { ...labels }, value: duration.sum };
  yield { name: `${name}_count`, labels: { ...labels }, value: total };
}

function withoutVerb({ group, version, resource }: RequestSeries["labels"]): Record<string, string> {
  return { group, version, resource };
}
