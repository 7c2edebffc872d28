import { readFile } from "node:fs/promises";
import { z } from "zod";
import { controller, controlPlane, poll, resource, schedule, toAll, watch } from "../../../src/index.js";
import { connectionTo } from "../../../src/client/index.js";
import { operator } from "../../../src/plane/index.js";

/** Scraped metric. */
export interface SeenMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Processes that expose it: `up` for the control plane, `run` for an operator. */
  readonly sources: readonly string[];
}

const Lamp = resource("docs.dev/v1", "Lamp", {
  spec: z.object({ on: z.boolean() }),
  status: z.object({ on: z.boolean() }),
});
/** Timeout for all samples to appear, in milliseconds. */
const patience = 20_000;

/** Metrics without samples in a control plane, whose controllers use no network, leader election or sharding. */
const notInPlanes = /^(rest_client_|leader_election_|fettle_shard)/;

const Switch = resource("docs.dev/v1", "Switch", { spec: z.object({}) });

/**
 * All metrics, scraped from a control plane and an operator in which everything happens at least once: a controller, a
 * poller, a step with a circuit breaker, a delayed schedule, an event pipeline, requests over the network, a peer, a
 * leader election.
 */
export async function metricsSeen(data: string): Promise<readonly SeenMetric[]> {
  const done = new AbortController();
  const peer = await controlPlane({ store: "memory", kinds: [Lamp], listen: { port: 0, tls: false } });
  const plane = await controlPlane({
    ...work(done.signal),
    store: "memory",
    data,
    listen: { port: 0, tls: false },
    peers: { peers: [{ kubeconfig: peer.kubeconfig, kinds: [Lamp] }] },
  });
  try {
    const server = plane.url ?? "";
    const token = /token"?: "?([^"\s]+)/.exec(await readFile(plane.kubeconfig ?? "", "utf8"))?.[1] ?? "";
    const connection = connectionTo({ server, token });
    const running = await operator({ ...work(done.signal), connection, health: { port: 0 } });
    const sharing = await operator({ connection, sharding: true, health: { port: 0 } });
    try {
      await running.controllers.ready();
      await plane.client.create(Lamp, { metadata: { name: "hall" }, spec: { on: true } });
      const deadline = Date.now() + patience;
      for (;;) {
        const metrics = new Map<string, Found>();
        read(metrics, "up", await textOf(`${server}/metrics`, { authorization: `Bearer ${token}` }));
        // Sharding and leader election exclude each other, so there are two operators.
        const text = await textOf(`${sharing.health}/metrics`);
        read(metrics, "run", await textOf(`${running.health}/metrics`), /^fettle_shard/);
        read(metrics, "run", text, /^(?!fettle_shard)/);
        const unseen = [...metrics.values()].filter(({ unseen }) => unseen.size > 0);
        if (unseen.length === 0) return [...metrics.values()].map(toSeen);
        if (Date.now() > deadline) {
          const names = unseen.map(({ name, unseen }) => `${name} of ${[...unseen].join(" and ")}`);
          throw new Error(`nothing in metrics-seen.ts makes a sample of ${names.join(", ")}`);
        }
      }
    } finally {
      done.abort();
      await sharing.stop();
      await running.stop();
    }
  } finally {
    done.abort();
    await plane.stop();
    await peer.stop();
  }
}

function work(done: AbortSignal) {
  const switches = poll({ name: "switches", interval: "50ms", list: () => [switchNow()] });
  return {
    performance: { thresholds: { memory_usage: { max: "1TB" } } },
    controllers: [
      controller({
        for: Lamp,
        watches: [watch(Switch, { from: switches, to: toAll })],
        async reconcile(lamp, { step, report }) {
          await step("turn", { breaker: "wiring" }, () => {});
          report({ on: lamp.spec.on });
        },
      }),
    ],
    pipeline: {
      stages: [
        { name: "all", handlers: [{ name: "batches", handle() {}, handleBatch() {} }, "MetricsCollector"] },
      ],
    },
    schedules: [
      schedule({ name: "often", every: "10ms", run: () => {} }),
      // The next pass is due before this one ends.
      schedule({ name: "late", every: "10ms", run: () => until(done) }),
    ],
  };
}

function switchNow() {
  return {
    apiVersion: "docs.dev/v1" as const,
    kind: "Switch" as const,
    metadata: { name: "door" },
    spec: {},
  };
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function textOf(url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return await answer.text();
}

interface Found {
  readonly name: string;
  readonly help: string;
  type: string;
  readonly labels: Set<string>;
  readonly sources: Set<string>;
  /** Processes that expose the metric but no sample of it yet, so that its labels are unknown. */
  readonly unseen: Set<string>;
}

/** Parses Prometheus' text format, without the default metrics of prom-client. */
function read(metrics: Map<string, Found>, source: string, text: string, leftOut = /^$/): void {
  let metric: Found | undefined;
  for (const line of text.split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === "HELP") {
      const isLeftOut =
        /^(process|nodejs)_/.test(name) || leftOut.test(name) || (source === "up" && notInPlanes.test(name));
      metric = isLeftOut ? undefined : (metrics.get(name) ?? newMetric(name, rest));
      if (metric === undefined) continue;
      metrics.set(name, metric);
      metric.unseen.add(source);
    } else if (metric !== undefined && word === "TYPE") {
      metric.type = rest;
    } else if (metric !== undefined && line.startsWith(metric.name)) {
      metric.unseen.delete(source);
      metric.sources.add(source);
      for (const [, label = ""] of line.matchAll(/[{,](\w+)="/g))
        if (label !== "le") metric.labels.add(label);
    }
  }
}

function newMetric(name: string, help: string): Found {
  return { name, help, type: "", labels: new Set(), sources: new Set(), unseen: new Set() };
}

function toSeen({ name, help, type, labels, sources }: Found): SeenMetric {
  return { name, help, type, labels: [...labels], sources: [...sources] };
}
