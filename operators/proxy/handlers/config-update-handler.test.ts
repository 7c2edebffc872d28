import { controlPlane, defineOperator, triggers, type Controller, type ControlPlane } from "fettle";
import type { CloudEvent, EventInput } from "fettle/events";
import { strategies, type Log } from "fettle/runtime";
import { TestClock } from "fettle/testing";
import { afterEach, expect, test, vi } from "vitest";
import { proxyEvents } from "../configs/events.js";
import { childKinds, createClass, serve } from "../configs/fixtures/simulated-nginx.js";
import { proxyConfigs } from "../configs/proxy-configs.js";
import { HTTPRoute } from "../kinds/gateway-api.js";
import { Backend, ProxyConfig } from "../kinds/proxy.js";
import { configUpdateHandler } from "./config-update-handler.js";

const configuration = { hostnames: ["shop.example"], routes: [{ path: "/", backends: [{ id: "web" }] }] };
const conflict = {
  in: "listeners",
  type: "Conflicted",
  status: "True",
  reason: "HostnameConflict",
  message: "Gateway default/older has it",
} as const;

let plane: ControlPlane;
/** Time of the handler; that of the control plane is real. */
let clock: TestClock;
let lines: string[];
let handled: string[];
afterEach(async () => {
  // A handler that is at work would hold up the stop.
  await clock.advance(60_000);
  await plane.stop();
});

async function start(configure: (controller: Controller) => Controller = (each) => each): Promise<void> {
  lines = [];
  handled = [];
  clock = new TestClock();
  const operator = defineOperator({
    name: "proxy",
    kinds: [...childKinds, Backend, ProxyConfig],
    events: proxyEvents,
    setup({ client }) {
      const requests = triggers();
      return {
        controllers: [configure(proxyConfigs({ results: { gateway: () => undefined }, requests }))],
        handlers: [configUpdateHandler({ client, clock, requests })],
      };
    },
  });
  const write = (_facts: object, text: string): void => void lines.push(text);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  const counter = { name: "Counter", handle: ({ type }: CloudEvent) => void handled.push(type) };
  plane = await controlPlane({
    operators: [operator],
    store: "memory",
    listen: false,
    log,
    pipeline: {
      on: ["config.created", "config.updated"],
      stages: [{ name: "processing", handlers: ["ConfigUpdateHandler", counter] }],
      retries: 1,
      timeout: "10m",
    },
  });
  await createClass(plane.client);
  await plane.client.create(Backend, { metadata: { name: "web" }, spec: {} });
}

const emit = (data: unknown, more: Partial<EventInput> = {}) =>
  plane.events.emit({ type: "config.updated", source: "/ci", data, ...more });
const dead = async () => (await plane.events.dead()).map(({ reason }) => reason);
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 25_000, interval: 20 });

/** Waits until the controller has written the routes of the current configuration, and a handler is at work. */
async function written(): Promise<void> {
  await until(async () => {
    const { metadata, status } = await plane.client.get(ProxyConfig, "shop");
    expect(status?.observedGeneration).toBe(metadata.generation);
    expect((await plane.client.list(HTTPRoute)).items).not.toEqual([]);
  });
}

test("a change of an object is handled when nginx serves it", async () => {
  await start();
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: configuration });
  await written();
  expect(handled).toEqual([]);
  await serve(plane.client);
  await until(() => expect(handled).toEqual(["config.created"]));
});

test("a configuration that is refused fails its event, which becomes a dead letter with the reason", async () => {
  await start();
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: configuration });
  await written();
  await serve(plane.client, [conflict]);
  await until(async () =>
    expect(await dead()).toEqual([
      "ConfigUpdateHandler (stage processing): configuration shop is not served: HostnameConflict: shop.example: Gateway default/older has it",
    ]),
  );
  expect(handled).toEqual([]);
});

test("an event about a generation that has a successor is handled", async () => {
  await start();
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: configuration });
  await written();
  await plane.client.patch(ProxyConfig, "shop", { spec: { hostnames: [] } });
  await until(() => expect(handled).toEqual(["config.created"]));
  await plane.client.delete(ProxyConfig, "shop");
  await until(() => expect(handled).toEqual(["config.created", "config.updated"]));
});

test("an event from outside writes the configuration, once, and is handled when nginx serves it", async () => {
  await start();
  await emit({ id: "shop", configuration: { ...configuration, listen: 8081, priority: "critical" } });
  await until(async () => expect(await plane.client.find(ProxyConfig, "shop")).toBeDefined());
  const { spec, metadata } = await plane.client.get(ProxyConfig, "shop");
  expect(spec).toMatchObject({ hostnames: ["shop.example"], listen: { port: 8081 } });
  expect(metadata.annotations).toEqual({ "fettle.dev/priority": "critical" });
  expect(metadata.managedFields?.map(({ manager }) => manager)).toContain("fettle-config-events");
  await written();
  await serve(plane.client);
  await until(() => expect([...handled].sort()).toEqual(["config.created", "config.updated"]));
  expect((await plane.client.get(ProxyConfig, "shop")).metadata.generation).toBe(1);
});

test("the last configuration from outside replaces the one before", async () => {
  await start();
  await emit({ id: "shop", configuration });
  await until(async () => expect(await plane.client.find(ProxyConfig, "shop")).toBeDefined());
  await emit({ configuration: { id: "shop", hostnames: ["other.example"] } }, { subject: "other" });
  await until(async () => {
    const { spec } = await plane.client.get(ProxyConfig, "shop");
    expect([spec.hostnames, spec.routes]).toEqual([["other.example"], []]);
  });
});

test.each([
  [{ id: "shop" }, "data.configuration: must be an object"],
  [{ configuration: {} }, "data.id: must be the name of a configuration"],
  [{ id: "a", configuration: { id: "b" } }, "data.configuration.id: must be a, as data.id, or left out"],
  [{ id: "a", configuration: { nope: 1 } }, "data.configuration.nope: there is no such field"],
  [
    { id: "a", configuration: { routes: [{ path: "x", backends: [{ id: "a" }] }] } },
    "data.configuration.routes[0].path: ",
  ],
  [
    { id: "a", configuration: { routes: [{ path: "/", backends: [{ id: "a" }], x: 1 }] } },
    "data.configuration.routes[0].x: there is no such field",
  ],
  [{ id: "Not A Name", configuration: {} }, "data.configuration.id: "],
  [{ id: "a", namespace: 7, configuration: {} }, "data.namespace: must be a string"],
])("%j is rejected at once", async (data, reason) => {
  await start();
  await emit(data);
  await until(async () => expect(await dead()).toEqual([expect.stringContaining(reason)]));
  expect((await plane.events.dead())[0]).toMatchObject({ attempts: 1 });
  expect((await plane.client.list(ProxyConfig)).items).toEqual([]);
});

test("a configuration that waits for a backend is handled, and the log says what is missing", async () => {
  await start();
  const routes = [{ path: "/", backends: [{ id: "missing" }] }];
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: { routes } });
  await written();
  const unresolved = {
    type: "ResolvedRefs",
    status: "False",
    reason: "BackendNotFound",
    message: "",
  } as const;
  await serve(plane.client, [{ in: "routes", ...unresolved }]);
  await until(() => expect(handled).toEqual(["config.created"]));
  expect(lines.join()).toContain("route /: backend missing not found");
});

test("a change that a strategy holds back blocks nothing, and is no failure", async () => {
  const strategy = strategies.batched({ size: 10, timeout: "1h" });
  await start((controller) => ({ ...controller, options: { ...controller.options, strategy } }));
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: configuration });
  await until(async () => {
    await clock.advance(3000);
    expect(handled).toEqual(["config.created"]);
  });
  expect(lines.join()).toContain("held back by a strategy");
  expect((await plane.client.get(ProxyConfig, "shop")).status).toBeUndefined();
  expect(await dead()).toEqual([]);
});

test("an nginx that takes long is no failure either", async () => {
  await start();
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: configuration });
  await written();
  await until(async () => {
    await clock.advance(20_000);
    expect(handled).toEqual(["config.created"]);
  });
  expect(lines.join()).toMatch(/nginx has not been configured in time|held back/);
  expect(await dead()).toEqual([]);
});

test("an event from outside that names an object does not pass for a change of it", async () => {
  await start();
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: configuration });
  await written();
  await serve(plane.client);
  await until(() => expect(handled).toEqual(["config.created"]));
  const { metadata } = await plane.client.get(ProxyConfig, "shop");
  const claims = { objectkind: "ProxyConfig", objectname: "shop", objectuid: metadata.uid };
  const changed = { ...configuration, hostnames: ["other.example"] };
  await emit({ id: "shop", configuration: changed }, { ...claims, id: `${metadata.uid}-1` });
  await until(async () =>
    expect((await plane.client.get(ProxyConfig, "shop")).spec.hostnames).toEqual(["other.example"]),
  );
});
