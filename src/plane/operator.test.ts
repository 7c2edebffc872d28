import type { HealthReport } from "../runtime/health/health.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { Lease } from "../client/kinds/kubernetes.js";
import { resource } from "../model/index.js";
import { controller } from "../runtime/controller/controller.js";
import { controlPlane, type ControlPlane } from "./control-plane.js";
import { operator, type OperatorOptions } from "./operator.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string() }),
  status: z.object({ by: z.string() }),
});

let home: ControlPlane;
let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "fettle-operator-"));
  home = await controlPlane({ store: "memory", data, listen: { port: 0 } });
});
afterEach(async () => {
  await home.stop();
  await rm(data, { recursive: true });
});

const start = (by: string, options: Partial<OperatorOptions> = {}) =>
  operator({
    controllers: [
      controller({
        for: Site,
        reconcile(_, { report }) {
          report({ by });
        },
      }),
    ],
    kubeconfig: home.kubeconfig,
    health: { port: 0 },
    ...options,
  });

const until = async (name: string, namespace: string, by: string): Promise<void> => {
  for await (const { object } of home.client.watch(Site, { namespace, resourceVersion: "0" })) {
    if (object.metadata.name === name && object.status?.by === by) return;
  }
};

const ask = async (url: string | undefined, path: string): Promise<{ code: number; text: string }> => {
  const answer = await fetch(`${url}${path}`);
  return { code: answer.status, text: await answer.text() };
};

test("with sharding, all processes work on their shards, and others take over when one stops", async () => {
  const sharding = { shards: 8, retryPeriod: "100ms" } as const;
  const first = await start("first", { sharding });
  await first.controllers.ready();
  await using second = await start("second", { sharding });
  await second.controllers.ready();
  expect(first.lease).toBe("default/sites.demo.dev-shards");
  await expect.poll(() => second.controllers.sharding?.owned).toBe(4);
  const names = Array.from({ length: 20 }, (_, index) => `site-${index}`);
  for (const name of names) await home.client.create(Site, { metadata: { name }, spec: { title: name } });
  for (const name of names) {
    await until(name, "default", second.controllers.sharding?.owns(`default/${name}`) ? "second" : "first");
  }
  expect(await ask(second.health, "/readyz")).toMatchObject({
    code: 200,
    text: expect.stringMatching(/sharding: 4 of 8 shards, 2 processes/),
  });
  await first.stop();
  for (const name of names) await until(name, "default", "second");
  await expect(start("third", { sharding, leaderElection: true })).rejects.toThrow("not both");
});

test("registers kinds; one process works, and another takes over when it stops", async () => {
  const first = await start("first");
  await first.controllers.ready();
  expect(first.lease).toBe("default/sites.demo.dev");
  const second = await start("second", { leaderElection: { retryPeriod: "100ms" } });
  await home.client.create(Site, { metadata: { name: "a" }, spec: { title: "A" } });
  await until("a", "default", "first");
  expect(first.controllers.isLeader).toBe(true);
  expect(second.controllers.isLeader).toBe(false);
  expect(await ask(second.health, "/readyz")).toMatchObject({
    code: 200,
    text: expect.stringMatching(/leader-election: (.* leads|nobody is known to lead)/),
  });
  await first.stop();
  await second.controllers.ready();
  await home.client.create(Site, { metadata: { name: "b" }, spec: { title: "B" } });
  await until("b", "default", "second");
  await second.stop();
  expect((await home.client.get(Lease, "sites.demo.dev")).spec?.holderIdentity).toBe("");
});

test("serves health and metrics, and responds 404 to anything else", async () => {
  await using running = await start("one", { leaderElection: false });
  await running.controllers.ready();
  expect(running.lease).toBeUndefined();
  for (const path of ["/healthz", "/livez", "/readyz", "/readyz?verbose"]) {
    expect(await ask(running.health, path)).toMatchObject({
      code: 200,
      // Degraded where the machine is so busy that the event loop is late.
      text: expect.stringMatching(/^(healthy|degraded)\n/),
    });
  }
  for (const [path, checks] of [
    ["/health", ["controllers", "informers", "queues", "event-loop"]],
    ["/ready", ["controllers", "informers", "queues", "event-loop"]],
  ] as const) {
    const { code, text } = await ask(running.health, path);
    const report = JSON.parse(text) as HealthReport;
    expect([code, report.checks.map(({ name }) => name)]).toEqual([200, checks]);
  }
  const remove = running.controllers.health.check("shop", () => false, { probes: ["liveness"] });
  expect(await ask(running.health, "/health")).toMatchObject({ code: 503 });
  expect(await ask(running.health, "/ready")).toMatchObject({ code: 200 });
  await running.monitoring.health.check();
  expect((await ask(running.health, "/metrics")).text).toContain('fettle_health_check{check="shop"} 0');
  remove();
  const metrics = await ask(running.health, "/metrics");
  expect(metrics.text).toMatch(/controller_runtime_\w+/);
  expect(metrics.text).toContain("rest_client_requests_total");
  expect(await ask(running.health, "/")).toMatchObject({ code: 404 });
});

test("with a namespace, ignores objects of other namespaces", async () => {
  await using running = await start("one", { namespace: "demo", leaderElection: false });
  await running.controllers.ready();
  await home.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "demo" } });
  await home.client.create(Site, { metadata: { name: "a" }, spec: { title: "A" } });
  await home.client.create(Site, { metadata: { name: "a", namespace: "demo" }, spec: { title: "A" } });
  await until("a", "demo", "one");
  await running.controllers.idle();
  expect((await home.client.get(Site, "a")).status).toBeUndefined();
});

test("does not register definitions with definitions: skip", async () => {
  await expect(
    start("one", { definitions: "skip", leaderElection: false }).then((running) => running.stop()),
  ).resolves.toBeUndefined();
  const served = await home.client.find(
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    "sites.demo.dev",
  );
  expect(served).toBeUndefined();
});

test("records runs in a folder, and a later process finds them", async () => {
  const folder = join(data, "operator-runs");
  const find = async (options: Partial<OperatorOptions>) => {
    await using running = await start("one", { leaderElection: false, runs: { folder }, ...options });
    await running.controllers.ready();
    await running.controllers.idle();
    return await running.controllers.runs.find({ kind: Site, key: "default/recorded" });
  };
  await find({});
  await home.client.create(Site, { metadata: { name: "recorded" }, spec: { title: "Recorded" } });
  const [first, ...more] = await find({});
  expect(first?.outcome.type).toBe("done");
  const later = await find({ controllers: [] });
  expect(later.map(({ id }) => id)).toEqual([first, ...more].map((run) => run?.id));
});

test("runs name the user of the operator's credential", async () => {
  await using running = await start("me");
  await running.controllers.ready();
  await home.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
  await until("hello", "default", "me");
  await running.controllers.idle();
  const [run] = await running.controllers.runs.find({ key: "default/hello" });
  expect(run).toMatchObject({ controller: "sites.demo.dev", user: "fettle-admin" });
});

test("runs name no user when the API does not say who the operator is", async () => {
  await home.stop();
  home = await controlPlane({
    store: "memory",
    data,
    listen: { port: 0 },
    authorize: ({ resource }) => ({ allowed: resource?.resource !== "selfsubjectreviews" }),
  });
  await using running = await start("me");
  await running.controllers.ready();
  await home.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
  await until("hello", "default", "me");
  await running.controllers.idle();
  const [run] = await running.controllers.runs.find({ key: "default/hello" });
  expect(run).toMatchObject({ controller: "sites.demo.dev" });
  expect(run?.user).toBeUndefined();
});
