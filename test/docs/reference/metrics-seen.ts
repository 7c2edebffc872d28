import { readFile } from "node:fs/promises";
import { z } from "zod";
import { controller, controlPlane, poll, resource, schedule, toAll, watch } from "../../../src/index.js";
import { connectionTo } from "../../../src/client/index.js";
import { operator } from "../../../src/plane/index.js";

/** A metric as a scraper sees it. */
export interface SeenMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Who tells it: `up` the control plane, `run` an operator. */
  readonly tellers: readonly string[];
}

const Lamp = resource("docs.dev/v1", "Lamp", {
  spec: z.object({ on: z.boolean() }),
  status: z.object({ on: z.boolean() }),
});
/** How long everything may take to happen, in milliseconds. */
const patience = 20_000;

/** Controllers in the process of their server ask nobody over the network, elect nobody and share with nobody. */
const notInPlanes = /^(rest_client_|leader_election_|fettle_shard)/;

const Switch = resource("docs.dev/v1", "Switch", { spec: z.object({}) });

/**
 * Every metric there is, as read from a control plane and an operator in which something of everything happens: a
 * controller, a poller, a step behind a breaker, a schedule that is late, requests over the network, an election.
 */
export async function metricsSeen(data: string): Promise<readonly SeenMetric[]> {
  const done = new AbortController();
  const plane = await controlPlane({
    ...work(done.signal),
    store: "memory",
    data,
    listen: { port: 0, tls: false },
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
      const late = Date.now() + patience;
      for (;;) {
        const metrics = new Map<string, Found>();
        read(metrics, "up", await textOf(`${server}/metrics`, { authorization: `Bearer ${token}` }));
        // Who shares the work elects nobody, and the other way round.
        const text = await textOf(`${sharing.health}/metrics`);
        read(metrics, "run", await textOf(`${running.health}/metrics`), /^fettle_shard/);
        read(metrics, "run", text, /^(?!fettle_shard)/);
        const unseen = [...metrics.values()].filter(({ unseen }) => unseen.size > 0);
        if (unseen.length === 0) return [...metrics.values()].map(toSeen);
        if (Date.now() > late) {
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
  }
}

function work(done: AbortSignal) {
  const switches = poll({ name: "switches", interval: "50ms", list: () => [switchNow()] });
  return {
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
  readonly tellers: Set<string>;
  /** Those who name it and have yet to tell a sample, without which labels are not known. */
  readonly unseen: Set<string>;
}

/** Reads Prometheus' text format. What prom-client tells of the process by itself is left out. */
function read(metrics: Map<string, Found>, teller: string, text: string, leftOut = /^$/): void {
  let metric: Found | undefined;
  for (const line of text.split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === "HELP") {
      const isLeftOut =
        /^(process|nodejs)_/.test(name) || leftOut.test(name) || (teller === "up" && notInPlanes.test(name));
      metric = isLeftOut ? undefined : (metrics.get(name) ?? newMetric(name, rest));
      if (metric === undefined) continue;
      metrics.set(name, metric);
      metric.unseen.add(teller);
    } else if (metric !== undefined && word === "TYPE") {
      metric.type = rest;
    } else if (metric !== undefined && line.startsWith(metric.name)) {
      metric.unseen.delete(teller);
      metric.tellers.add(teller);
      for (const [, label = ""] of line.matchAll(/[{,](\w+)="/g))
        if (label !== "le") metric.labels.add(label);
    }
  }
}

function newMetric(name: string, help: string): Found {
  return { name, help, type: "", labels: new Set(), tellers: new Set(), unseen: new Set() };
}

function toSeen({ name, help, type, labels, tellers }: Found): SeenMetric {
  return { name, help, type, labels: [...labels], tellers: [...tellers] };
}
