import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { code, page, table } from "./markdown.js";
import { metricsSeen, type SeenMetric } from "./metrics-seen.js";

const about = `
Metrics at \`/metrics\`. **up** is a control plane (\`fettle up\`, \`controlPlane()\`), which serves them on the port of its API to
administrators; **run** is an operator (\`fettle run\`, \`operator()\` with \`health\`), which serves them on its health port without
authentication. Where Kubernetes or controller-runtime has the same metric, it has the same name, so that their dashboards work. Both also
have the default metrics of prom-client (\`process_*\`, \`nodejs_*\`). [How to observe](../how-to/observe.md) lists the most important ones.

The label \`controller\` is a controller's name, such as \`sites.demo.dev\`; histograms have \`_bucket\`, \`_sum\` and \`_count\`.
`;

const sections: readonly (readonly [title: string, names: RegExp])[] = [
  [
    "Runs",
    /^(controller_runtime_|fettle_(average_)?reconciliation|fettle_(triggers|steps|writes|lingering))/,
  ],
  ["Queues", /^(workqueue_|fettle_(queue|dead|paused))/],
  ["Detectors", /^fettle_(hot_loops|fights)/],
  ["Circuit breakers", /^fettle_breaker/],
  ["Health", /^fettle_health/],
  [
    "Performance (only with the setting `performance`, which may change names, types and buckets)",
    /^(event_processing_time|reconciliation_duration|memory_usage|event_queue_size|fettle_threshold)/,
  ],
  ["Caches", /^fettle_informer/],
  ["Peers", /^fettle_peer_/],
  ["Pollers", /^fettle_watch_/],
  ["Schedules", /^fettle_scheduler_/],
  ["Event pipeline", /^event(s_processed|_processing|_batch)_/],
  ["Requests to the API server", /^rest_client_/],
  ["Leader election and sharding", /^(leader_election_|fettle_shard)/],
  ["The API server", /^apiserver_(?!storage)/],
  ["The store", /^(fettle_store|apiserver_storage)/],
];

/** Every metric, as scraped. */
export async function metricsPage(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "fettle-docs-"));
  try {
    const metrics = await metricsSeen(data);
    const lost = metrics.filter(({ name }) => !sections.some(([, names]) => names.test(name)));
    if (lost.length > 0) {
      throw new Error(`no section of metrics-page.ts has ${lost.map(({ name }) => name).join(", ")}`);
    }
    const ofSection = ([title, names]: (typeof sections)[number]): string[] => [
      `## ${title}`,
      tableOf(metrics.filter(({ name }) => names.test(name))),
    ];
    return page("Metrics", about, sections.flatMap(ofSection));
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

function tableOf(metrics: readonly SeenMetric[]): string {
  return table(
    ["metric", "type", "labels", "from", "meaning"],
    metrics.map(({ name, type, labels, sources, help }) => [
      code(name),
      type,
      labels.map(code).join(", "),
      sources.join(", "),
      help,
    ]),
  );
}
