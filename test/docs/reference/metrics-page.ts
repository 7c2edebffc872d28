import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { code, page, table } from "./markdown.js";
import { metricsSeen, type SeenMetric } from "./metrics-seen.js";

const about = `
What Prometheus finds at \`/metrics\`. **up** is a control plane (\`fettle up\`, \`controlPlane()\`), which tells them on the port of its API to
administrators; **run** is an operator (\`fettle run\`, \`operator()\` with \`health\`), which tells them on its health port to everybody who reaches
it. Names are those that dashboards for Kubernetes and controller-runtime look for, where there is one. Both tell what prom-client knows of
the process besides (\`process_*\`, \`nodejs_*\`). [How to observe](../how-to/observe.md) says which to look at.

The label \`controller\` is a controller's name, such as \`sites.demo.dev\`; histograms have \`_bucket\`, \`_sum\` and \`_count\`.
`;

const sections: readonly (readonly [title: string, names: RegExp])[] = [
  [
    "Runs",
    /^(controller_runtime_|fettle_(average_)?reconciliation|fettle_(triggers|steps|writes|lingering))/,
  ],
  ["Queues", /^(workqueue_|fettle_(queue|dead|paused))/],
  ["What should not be", /^fettle_(hot_loops|fights)/],
  ["Circuit breakers", /^fettle_breaker/],
  ["Caches", /^fettle_informer/],
  ["Pollers", /^fettle_watch_/],
  ["Schedules", /^fettle_scheduler_/],
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
      throw new Error(`no section of metrics-page.ts is for ${lost.map(({ name }) => name).join(", ")}`);
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
    ["metric", "type", "labels", "told by", "what it says"],
    metrics.map(({ name, type, labels, sources, help }) => [
      code(name),
      type,
      labels.map(code).join(", "),
      sources.join(", "),
      help,
    ]),
  );
}
