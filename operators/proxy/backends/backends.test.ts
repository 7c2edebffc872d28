import { defineOperator, triggers } from "fettle";
import { BackendHealthChanged } from "fettle/events";
import { testPlane, type TestObject, type TestPlane } from "fettle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Backend, type BackendObject } from "../kinds/proxy.js";
import { backends, deletedBackends } from "./backends.js";
import { backendHealth, memoizedHealth } from "./health-view.js";
import { HealthProber } from "./prober.js";
import { NameResolver } from "./resolve-name.js";

/** Servers outside: failures by `address:port`, and addresses by name. */
let failures: Map<string, string>;
let names: Map<string, readonly string[]>;
let checked: string[];
let plane: TestPlane;
let prober: HealthProber;

async function start(objects: readonly TestObject[] = []): Promise<void> {
  const changes = triggers();
  const operator = defineOperator({
    name: "proxy",
    kinds: [Backend],
    setup({ clock, onStop }) {
      prober = new HealthProber({
        clock,
        random: () => 0.5,
        onChange: (backend, text) => changes.send(backend, text),
        async check({ address, port }) {
          checked.push(`${address}:${port}`);
          return failures.get(`${address}:${port}`);
        },
      });
      const resolver = new NameResolver({
        clock,
        async lookup(name) {
          const found = names.get(name);
          if (found === undefined) throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
          return found;
        },
      });
      onStop(() => prober.stopAll());
      return {
        controllers: [backends({ prober, changes, resolve: resolver.resolve })],
        schedules: [deletedBackends({ prober })],
      };
    },
  });
  plane = await testPlane({ operators: [operator], objects });
}

beforeEach(() => {
  failures = new Map();
  names = new Map();
  checked = [];
});
afterEach(() => plane[Symbol.asyncDispose]());

type Targets = readonly { host: string; port: number; weight?: number }[];

async function create(targets: Targets, healthCheck: object | null = {}): Promise<void> {
  const spec = { targets: [...targets], ...(healthCheck !== null && { healthCheck }) };
  await plane.client.create(Backend, { metadata: { name: "web" }, spec });
  await plane.settled();
}

const get = (): Promise<BackendObject> => plane.client.get(Backend, "web");

/** `Healthy 2/3 a:80=healthy b:80=unhealthy(connection refused)` */
async function shown(): Promise<string> {
  const { status } = await get();
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const targets = (status?.targets ?? []).map(
    ({ host, port, health, reason }) =>
      `${host}:${port}=${health}${reason === undefined ? "" : `(${reason})`}`,
  );
  return [`${ready?.status}/${ready?.reason}`, `${status?.healthy}/${status?.total}`, ...targets].join(" ");
}

async function changes() {
  return (await plane.eventsSoFar(BackendHealthChanged.type)).map(({ data }) => data);
}

test("without a check, targets with addresses are healthy", async () => {
  await start();
  names.set("app", ["10.0.0.2", "10.0.0.1"]);
  await create(
    [
      { host: "10.0.0.9", port: 80 },
      { host: "app", port: 81 },
    ],
    null,
  );
  expect(await shown()).toBe("True/Healthy 2/2 10.0.0.9:80=healthy app:81=healthy");
  expect((await get()).status?.targets?.[1]?.addresses).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(checked).toEqual([]);
});

test("a target that fails makes a backend degraded, all of them unhealthy, and each change is an event", async () => {
  await start();
  await create([
    { host: "10.0.0.1", port: 80 },
    { host: "10.0.0.2", port: 80 },
  ]);
  expect(await shown()).toBe("True/Healthy 2/2 10.0.0.1:80=healthy 10.0.0.2:80=healthy");
  const { status: first } = await get();

  failures.set("10.0.0.2:80", "connection refused");
  await plane.advance("35s");
  expect(await shown()).toBe(
    "True/Degraded 1/2 10.0.0.1:80=healthy 10.0.0.2:80=unhealthy(connection refused)",
  );
  const { status: second } = await get();
  expect(second?.targets?.[0]?.since).toBe(first?.targets?.[0]?.since);
  expect(second?.lastChange).not.toBe(first?.lastChange);

  failures.set("10.0.0.1:80", "status 503");
  await plane.advance("35s");
  expect(await shown()).toMatch(/^False\/Unhealthy 0\/2 /);
  failures.clear();
  await plane.advance("25s");
  expect(await shown()).toMatch(/^True\/Healthy 2\/2 /);

  const all = await changes();
  expect(all.slice(1, 3)).toMatchObject([
    {
      backend: "web",
      namespace: "default",
      status: "degraded",
      previous: "healthy",
      target: "10.0.0.2:80",
      reason: "1 of 2 targets are healthy; 10.0.0.2:80: connection refused",
      targets: [{ target: "10.0.0.2:80", status: "unhealthy", previous: "healthy" }],
    },
    { status: "unhealthy", previous: "degraded", target: "10.0.0.1:80" },
  ]);
  expect(all.at(-1)).toMatchObject({ status: "healthy" });
  const recorded = (await plane.events()).map(({ type, reason }) => `${type} ${reason}`);
  expect(recorded).toEqual(expect.arrayContaining(["Normal BackendHealthy", "Warning BackendUnhealthy"]));
});

test("a change of a single target is an event with the unchanged status of the backend", async () => {
  await start();
  failures.set("10.0.0.1:80", "connection refused");
  await create([1, 2, 3].map((number) => ({ host: `10.0.0.${number}`, port: 80 })));
  await plane.advance("5s");
  failures.set("10.0.0.2:80", "status 500");
  await plane.advance("35s");
  expect((await changes()).at(-1)).toMatchObject({
    status: "degraded",
    previous: "degraded",
    target: "10.0.0.2:80",
    reason: "10.0.0.2:80 is unhealthy: status 500",
  });
  await plane.client.patch(Backend, "web", { spec: { targets: [{ host: "10.0.0.3", port: 80 }] } });
  await plane.settled();
  expect((await changes()).at(-1)).toMatchObject({ status: "healthy", previous: "degraded" });
});

test("a target without a weight is checked, and does not count", async () => {
  await start();
  failures.set("10.0.0.2:80", "connection refused");
  await create([
    { host: "10.0.0.1", port: 80 },
    { host: "10.0.0.2", port: 80, weight: 0 },
  ]);
  await plane.advance("5s");
  expect(await shown()).toBe(
    "True/Healthy 1/1 10.0.0.1:80=healthy 10.0.0.2:80=unhealthy(connection refused)",
  );
});

test("a backend without usable targets says so", async () => {
  await start();
  await create([]);
  expect(await shown()).toBe("False/NoTargets 0/0");
});

test("requests go to the addresses of a name that work", async () => {
  await start();
  names.set("app", ["10.0.0.1", "10.0.0.2"]);
  names.set("localhost", ["127.0.0.1", "::1"]);
  failures.set("10.0.0.2:80", "connection refused");
  failures.set("::1:81", "connection refused");
  await create([
    { host: "app", port: 80 },
    { host: "localhost", port: 81 },
  ]);
  await plane.advance("5s");
  expect((await get()).status?.targets).toMatchObject([
    {
      addresses: ["10.0.0.1"],
      health: "degraded",
      reason: "1 of 2 addresses fail, 10.0.0.2: connection refused",
    },
    { addresses: ["127.0.0.1"], health: "healthy" },
  ]);
  failures.clear();
  await plane.advance("25s");
  expect((await get()).status?.targets?.[0]?.addresses).toEqual(["10.0.0.1", "10.0.0.2"]);
});

test("names are resolved again, and a name that is gone keeps its addresses for five minutes", async () => {
  await start();
  names.set("app", ["10.0.0.1"]);
  await create([{ host: "app", port: 80 }]);
  names.set("app", ["10.0.0.7"]);
  await plane.advance("31s");
  expect((await get()).status?.targets?.[0]?.addresses).toEqual(["10.0.0.7"]);
  names.delete("app");
  await plane.advance("31s");
  expect((await get()).status?.targets?.[0]).toMatchObject({
    addresses: ["10.0.0.7"],
    health: "healthy",
    reason: expect.stringContaining("the name app cannot be resolved: ENOTFOUND; its last known"),
  });
  await plane.advance("6m");
  expect(await shown()).toBe(
    "False/Unhealthy 0/1 app:80=unhealthy(the name app cannot be resolved: ENOTFOUND)",
  );
  names.set("app", ["10.0.0.8"]);
  await plane.advance("45s");
  expect(await shown()).toBe("True/Healthy 1/1 app:80=healthy");
});

test("after a restart, the health of the status holds, and no event repeats it", async () => {
  const since = "2026-01-01T00:00:00.000Z";
  const target = (host: string, health: string) => ({ host, port: 80, addresses: [host], health, since });
  failures.set("10.0.0.2:80", "connection refused");
  await start([
    {
      apiVersion: Backend.apiVersion,
      kind: "Backend",
      metadata: { name: "web", uid: "u1" },
      spec: {
        targets: [
          { host: "10.0.0.1", port: 80 },
          { host: "10.0.0.2", port: 80 },
        ],
        healthCheck: {},
      },
      status: {
        health: "degraded",
        healthy: 1,
        total: 2,
        lastChange: since,
        targets: [target("10.0.0.1", "healthy"), target("10.0.0.2", "unhealthy")],
      },
    },
  ]);
  await plane.advance("1m");
  expect(await shown()).toBe(
    "True/Degraded 1/2 10.0.0.1:80=healthy 10.0.0.2:80=unhealthy(connection refused)",
  );
  expect(await changes()).toEqual([]);
  expect((await get()).status?.lastChange).toBe(since);
});

test("a quiet backend is not written again and again", async () => {
  await start();
  names.set("app", ["10.0.0.1"]);
  await create([{ host: "app", port: 80 }]);
  await plane.advance("1m");
  const before = (await get()).metadata.resourceVersion;
  await plane.advance("10m");
  expect((await get()).metadata.resourceVersion).toBe(before);
});

test("a plan checks nothing, and a deleted backend is checked no more", async () => {
  await start();
  const object = {
    apiVersion: Backend.apiVersion,
    kind: "Backend",
    metadata: { name: "planned", namespace: "default" },
    spec: { targets: [{ host: "10.0.0.1", port: 80 }], healthCheck: {} },
  };
  const plan = await plane.controllers.get(Backend).plan(object);
  expect(plan.steps.map(({ name }) => name)).toEqual(["update the health checks"]);
  await plane.advance("1m");
  expect(checked).toEqual([]);

  await create([{ host: "10.0.0.1", port: 80 }]);
  expect(await prober.checkNow((await get()).metadata.uid ?? "")).toMatchObject([{ ok: true }]);
  await plane.client.delete(Backend, "web");
  await plane.advance("61s");
  checked.length = 0;
  await plane.advance("5m");
  expect(checked).toEqual([]);
});

test("the health of a backend is kept until it changes", async () => {
  await start();
  await create([{ host: "10.0.0.1", port: 80 }]);
  let fetched = 0;
  const health = memoizedHealth(plane.state, (backend) => {
    fetched++;
    return backendHealth(backend);
  });
  const show = async () => health(await plane.client.get(Backend, "web"));
  expect(await show()).toMatchObject({ id: "web", status: "healthy", healthy: 1, total: 1 });
  await show();
  expect(fetched).toBe(1);
  failures.set("10.0.0.1:80", "status 500");
  await plane.advance("35s");
  await plane.settled();
  expect(await show()).toMatchObject({
    status: "unhealthy",
    targets: [{ host: "10.0.0.1", health: "unhealthy", reason: "status 500" }],
  });
  expect(fetched).toBe(2);
  await plane.advance("301s");
  await show();
  expect(fetched).toBe(3);
});
