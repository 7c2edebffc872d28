import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { poll } from "../../client/polling/poll.js";
import { resource } from "../../model/resource/resource.js";
import { eventsOf } from "../../events/object/event-naming.js";
import { subscription } from "../../events/subscription.js";
import { controller } from "../../runtime/controller/controller.js";
import { onEvent } from "../../runtime/controller/event-watch.js";
import { MemoryStore } from "../../store/index.js";
import { testPlane } from "../../testing/test-plane.js";
import { controlPlane, type ControlPlaneOptions } from "../control-plane.js";

const Device = resource("racks.dev/v1", "Device", {
  spec: z.object({ desired: z.string(), switch: z.string().default("") }),
  status: z.object({ state: z.string() }),
});

const memory = { store: "memory", listen: false } as const;

function started(options: ControlPlaneOptions = {}) {
  return controlPlane({ ...memory, kinds: [Device], ...options });
}

const device = (name: string, desired = "running") => ({ metadata: { name }, spec: { desired } });

function typesOf(events: readonly CloudEvent[]): readonly string[] {
  return events.map(({ type, objectname }) => `${type} ${objectname}`);
}

test("every change of an object is an event, with types as configured", async () => {
  await using plane = await started({ events: { kinds: [eventsOf(Device, "io.example.device")] } });
  const seen: CloudEvent[] = [];
  plane.events.subscribe("io.example.device.**", (event) => void seen.push(event));
  const { client } = plane;
  await client.create(Device, device("one"));
  await client.patch(Device, "one", { spec: { desired: "stopped" } });
  const condition = {
    type: "Ready",
    status: "True",
    reason: "Ok",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  } as const;
  await client.patchStatus(Device, "one", { status: { state: "stopped", conditions: [condition] } });
  await client.delete(Device, "one");
  await vi.waitFor(() => expect(seen.length).toBe(5));
  expect(typesOf(seen)).toEqual(
    ["created", "updated", "status_updated", "condition_changed", "deleted"].map(
      (verb) => `io.example.device.${verb} one`,
    ),
  );
  const [created, updated, , changed] = seen;
  expect(created).toMatchObject({
    specversion: "1.0",
    source: "/fettle",
    subject: "/apis/racks.dev/v1/namespaces/default/devices/one",
    objectkind: "Device",
    objectnamespace: "default",
    data: { object: { spec: { desired: "running" } } },
  });
  expect(created?.id).toBe(`${created?.objectuid}-${created?.revision}`);
  expect(updated?.data).toMatchObject({
    changes: [{ path: ["spec", "desired"], from: "running", to: "stopped" }],
  });
  expect(changed).toMatchObject({ data: { condition: { type: "Ready", status: "True" }, old: null } });
});

test("events of Secrets have no contents", async () => {
  await using plane = await started();
  const seen: CloudEvent[] = [];
  plane.events.subscribe("io.k8s.core.secret.*", (event) => void seen.push(event));
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  await plane.apply({ ...secret, stringData: { password: "hunter2" } });
  await plane.apply({ ...secret, stringData: { password: "hunter3" } });
  await vi.waitFor(() => expect(seen.length).toBe(2));
  expect(JSON.stringify(seen)).not.toMatch(/hunter|aHVudGVy/);
});

test("changes of fields that are named like a secret have no values", async () => {
  const Account = resource("racks.dev/v1", "Account", {
    spec: z.object({ user: z.string(), password: z.string() }),
  });
  await using plane = await controlPlane({ ...memory, kinds: [Account] });
  const seen: CloudEvent[] = [];
  plane.events.subscribe("dev.racks.account.*", (event) => void seen.push(event));
  await plane.client.create(Account, { metadata: { name: "a" }, spec: { user: "eve", password: "hunter2" } });
  await plane.client.patch(Account, "a", { spec: { user: "adam", password: "hunter3" } });
  await vi.waitFor(() => expect(seen.length).toBe(2));
  expect(JSON.stringify(seen)).not.toContain("hunter");
  expect(seen[1]?.data).toMatchObject({
    changes: [
      { path: ["spec", "user"], to: "adam" },
      { path: ["spec", "password"], to: "[hidden]" },
    ],
  });
});

test("emitted events have a revision, are stored once by id, and expire", async () => {
  const plane = await testPlane({ kinds: [Device], events: { ttl: "10m" } });
  onTestFinished(() => plane[Symbol.asyncDispose]());
  const seen: CloudEvent[] = [];
  plane.cloudEvents.subscribe("certificate.expiring", (event) => void seen.push(event));
  const input = { id: "c1", type: "certificate.expiring", data: { days: 7 } };
  await plane.cloudEvents.emit(input);
  await plane.cloudEvents.emit(input);
  await plane.settled();
  expect(seen).toMatchObject([{ id: "c1", source: "/fettle", data: { days: 7 } }]);
  expect(Number(seen[0]?.revision)).toBeGreaterThan(0);
  await plane.advance("11m");
  await plane.cloudEvents.emit(input);
  await plane.settled();
  expect(seen.length).toBe(2);
});

test.each([
  ["a space in the type", { type: "a b" }, "is not a type of events"],
  ["a control character in the type", { type: "a\u0007" }, "is not a type of events"],
  ["capital letters", { type: "a", Subject: "x" }, "is not a name of an attribute"],
  ["a line break", { type: "a", note: "line\nbreak" }, "has control characters"],
  ["an attribute that is an object", { type: "a", nested: { x: 1 } }, "put other values into data"],
  ["a time that is none", { type: "a", time: "soon" }, "time must be"],
  ["10 MB of data", { type: "a", data: "x".repeat(10_000_000) }, "at most 1048576 are allowed"],
])("refuses to emit %s", async (_, input, message) => {
  await using plane = await started();
  await expect(plane.events.emit(input)).rejects.toThrow(message);
});

test("a reconciler emits events after its writes; a run that fails emits none", async () => {
  let isBroken = true;
  const devices = controller({
    for: Device,
    reconcile({ spec }, { emit, report }) {
      report({ state: isBroken ? "broken" : spec.desired });
      emit("io.example.device.started", { desired: spec.desired });
      if (isBroken) throw new Error("no power");
    },
  });
  await using plane = await testPlane({
    controllers: [devices],
    events: { kinds: [eventsOf(Device, "io.example.device")] },
  });
  await plane.client.create(Device, device("one"));
  await plane.until(Device, "one", (object) => object?.status?.conditions?.[0]?.message === "no power");
  isBroken = false;
  await plane.advance("1s");
  await plane.settled();
  const all = await plane.eventsSoFar("io.example.device.*");
  const started = all.filter(({ type }) => type.endsWith("started"));
  expect(started).toMatchObject([
    {
      objectname: "one",
      objectkind: "Device",
      controller: "devices.racks.dev",
      subject: "Device/default/one",
    },
  ]);
  const written = all.findLast(({ type }) => type.endsWith("status_updated"));
  expect(Number(started[0]?.revision)).toBeGreaterThan(Number(written?.revision));
  // Its own event is no reason to run again.
  const runs = await plane.runs(Device, "one");
  expect(runs.flatMap(({ triggers }) => triggers).filter(({ type }) => type === "event")).toEqual([]);
});

test("an event that names a kind and an object, by name or uid, reconciles it", async () => {
  const devices = controller({ for: Device, reconcile() {} });
  await using plane = await testPlane({ controllers: [devices] });
  const { metadata } = await plane.client.create(Device, device("one"));
  await plane.settled();
  const { cloudEvents } = plane;
  await cloudEvents.emit({
    type: "io.example.device.touched",
    objectkind: "Device",
    objectuid: metadata.uid,
  });
  await plane.settled();
  await cloudEvents.emit({ type: "io.example.device.moved", data: { kind: "Device", name: "one" } });
  await plane.settled();
  await cloudEvents.emit({ type: "io.example.device.lost", data: { kind: "Device", name: "two" } });
  await cloudEvents.emit({
    type: "io.example.lamp.lost",
    objectapiversion: "other.dev/v1",
    objectkind: "Device",
    objectname: "one",
  });
  await plane.settled();
  const runs = await plane.runs(Device, "one");
  expect(runs.map(({ triggers: [trigger] }) => trigger?.text ?? trigger?.type)).toEqual([
    "created",
    "io.example.device.touched",
    "io.example.device.moved",
  ]);
});

test("onEvent maps other events to objects, also those about objects", async () => {
  const devices = controller({
    for: Device,
    indexes: { switch: ({ spec }) => [spec.switch] },
    watches: [
      onEvent("io.k8s.core.configmap.*", ({ objectname = "" }, lookup) =>
        lookup.byIndex("switch", objectname),
      ),
      onEvent("broken.mapper", () => {
        throw new Error("oops");
      }),
    ],
    reconcile() {},
  });
  await using plane = await testPlane({ controllers: [devices] });
  await plane.client.create(Device, { metadata: { name: "one" }, spec: { desired: "on", switch: "sw1" } });
  await plane.client.create(Device, device("two"));
  await plane.settled();
  await plane.cloudEvents.emit({ type: "broken.mapper" });
  await plane.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sw1" } });
  await plane.until(Device, "one", () => true);
  await vi.waitFor(async () => expect((await plane.runs(Device, "one")).length).toBe(2));
  expect((await plane.runs(Device, "two")).length).toBe(1);
});

test("a reconciler enqueues objects of other controllers", async () => {
  const Cluster = resource("racks.dev/v1", "Cluster", { spec: z.object({ node: z.string() }) });
  const devices = controller({ for: Device, reconcile() {} });
  const clusters = controller({
    for: Cluster,
    reconcile({ spec }, { enqueue }) {
      enqueue(Device, spec.node, { reason: "its cluster changed" });
    },
  });
  await using plane = await testPlane({ controllers: [devices, clusters] });
  await plane.client.create(Device, device("one"));
  await plane.settled();
  await plane.client.create(Cluster, { metadata: { name: "c" }, spec: { node: "one" } });
  await plane.settled();
  const runs = await plane.runs(Device, "one");
  expect(runs.at(-1)?.triggers).toMatchObject([{ type: "manual", text: "its cluster changed" }]);
});

test("events that reconcilers and events cause in a circle are stopped and reported", async () => {
  const devices = controller({
    for: Device,
    reconcile(_, { emit }) {
      emit({
        type: "ping",
        data: { kind: "Device", name: "two" },
        controller: "somebody",
        objectkind: undefined,
      });
    },
  });
  await using plane = await testPlane({ controllers: [devices] });
  await plane.client.create(Device, device("two"));
  await plane.settled();
  expect((await plane.eventsSoFar("ping")).length).toBe(17);
  expect(await plane.eventsSoFar("system.error")).toMatchObject([{ data: { component: "events" } }]);
});

test("run.finished is emitted while somebody subscribes", async () => {
  const seen: CloudEvent[] = [];
  const devices = controller({ for: Device, reconcile() {} });
  const runs = subscription({
    name: "runs",
    on: "dev.fettle.run.*",
    handle: (event) => void seen.push(event),
  });
  await using plane = await testPlane({ controllers: [devices], subscriptions: [runs] });
  await plane.client.create(Device, device("one"));
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
  await plane.settled();
  expect(seen).toMatchObject([
    { data: { object: { kind: "Device", name: "one" }, outcome: { type: "done" } } },
  ]);
});

test("changes that a poller finds are events, as those of objects", async () => {
  const rows = new Map([["one", "pending"]]);
  const requests = poll({
    name: "requests",
    interval: "5s",
    list: async () => [...rows],
    toObject: ([name, phase]) => ({
      apiVersion: "racks.dev/v1" as const,
      kind: "Device" as const,
      metadata: { name },
      spec: { desired: "on", switch: "" },
      status: { state: phase },
    }),
  });
  await requests.ready();
  onTestFinished(() => requests.stop());
  const devices = controller({ for: Device, from: requests, reconcile() {} });
  await using plane = await started({
    controllers: [devices],
    events: { kinds: [eventsOf(Device, "labinstancerequest")] },
  });
  const seen: string[] = [];
  plane.events.subscribe(
    "labinstancerequest.*",
    ({ type, objectname }) => void seen.push(`${type} ${objectname}`),
  );
  rows.set("one", "running");
  rows.set("two", "pending");
  await requests.refresh();
  rows.delete("one");
  await requests.refresh();
  await vi.waitFor(() => expect(seen.length).toBe(3));
  expect(seen.toSorted()).toEqual([
    "labinstancerequest.created two",
    "labinstancerequest.deleted one",
    "labinstancerequest.status_updated one",
  ]);
});

test("health checks can be requested by events, and alerts are events", async () => {
  await using plane = await started({
    performance: { thresholds: { memory_usage: { max: "1KB", alert: true, for: 0 } } },
    monitoring: { every: "20ms" },
  });
  const seen: CloudEvent[] = [];
  plane.events.subscribe(["health_check.completed", "alert.raised"], (event) => void seen.push(event));
  const request = await plane.events.emit({ type: "health_check.requested" });
  await vi.waitFor(() => expect(seen.some(({ type }) => type === "health_check.completed")).toBe(true));
  const completed = seen.find(({ type }) => type === "health_check.completed");
  expect(completed).toMatchObject({
    cause: request.id,
    hops: 1,
    data: { result: { checks: expect.any(Array) as unknown[] } },
  });
  await vi.waitFor(() => expect(seen.some(({ type }) => type === "alert.raised")).toBe(true), 20_000);
  const raised = seen.find(({ type }) => type === "alert.raised");
  expect(raised?.data).toMatchObject({ key: "performance/memory_usage.max", metric: "memory_usage" });
});

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "fettle-events-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a durable subscription gets what happened while it was away, and nothing twice after a normal stop", async () => {
  const data = dataFolder();
  const options = { data, listen: false, kinds: [Device] } as const;
  const seen: string[] = [];
  const audit = subscription({
    name: "audit",
    on: "dev.racks.device.*",
    durable: true,
    handle: ({ type, objectname }) => void seen.push(`${type} ${objectname}`),
  });
  const first = await controlPlane({ ...options, subscriptions: [audit] });
  await first.client.create(Device, device("one"));
  await vi.waitFor(() => expect(seen).toEqual(["dev.racks.device.created one"]));
  await first.stop();
  const away = await controlPlane(options);
  await away.client.create(Device, device("two"));
  await away.client.delete(Device, "one");
  await away.stop();
  const again = await controlPlane({ ...options, subscriptions: [audit] });
  await vi.waitFor(() => expect(seen.length).toBe(3));
  expect(seen.slice(1)).toEqual(["dev.racks.device.created two", "dev.racks.device.deleted one"]);
  await vi.waitFor(() =>
    expect(again.events.subscriptions()).toMatchObject([{ name: "audit", state: "running", lag: 0 }]),
  );
  await again.stop();
});

test("a durable subscription whose position was compacted gets the existing objects", async () => {
  const store = new MemoryStore();
  const options = { store, listen: false, kinds: [Device] } as const;
  const seen: CloudEvent[] = [];
  const gaps: string[] = [];
  const audit = subscription({
    name: "audit",
    on: "dev.racks.device.*",
    durable: true,
    handle: (event) => void seen.push(event),
    onResync: ({ reason }) => gaps.push(reason),
  });
  const first = await controlPlane({ ...options, subscriptions: [audit] });
  await first.client.create(Device, device("one"));
  await vi.waitFor(() => expect(seen.length).toBe(1));
  await first.stop();
  const away = await controlPlane(options);
  await away.client.delete(Device, "one");
  await away.client.create(Device, device("two"));
  await away.stop();
  await store.compact((await store.status()).revision);
  const again = await controlPlane({ ...options, subscriptions: [audit] });
  await vi.waitFor(() => expect(seen.length).toBe(2));
  expect(gaps.length).toBe(1);
  expect(seen[1]).toMatchObject({ type: "dev.racks.device.created", objectname: "two", resync: true });
  await again.client.create(Device, device("three"));
  await vi.waitFor(() => expect(seen.length).toBe(3));
  expect(seen[2]?.resync).toBe(undefined);
  await again.stop();
  await store.close();
});

test("a new durable subscription can start with the existing objects", async () => {
  await using plane = await started();
  await plane.client.create(Device, device("one"));
  const seen: string[] = [];
  plane.events.subscribe({
    name: "mirror",
    on: "**.device.*",
    durable: true,
    start: "existing",
    handle: ({ objectname = "" }) => void seen.push(objectname),
  });
  await vi.waitFor(() => expect(seen).toEqual(["one"]));
  await plane.client.create(Device, device("two"));
  await vi.waitFor(() => expect(seen).toEqual(["one", "two"]));
});

test("an event that is not handled becomes a dead letter, which is reported, outlives the process and can be delivered again", async () => {
  const data = dataFolder();
  const options = { data, listen: false, kinds: [Device] } as const;
  let works = false;
  const seen: string[] = [];
  const fragile = subscription({
    name: "fragile",
    on: "dev.racks.device.created",
    durable: true,
    retries: 1,
    retryDelay: "1ms",
    handle({ objectname = "" }) {
      if (!works) throw new Error("out of order");
      seen.push(objectname);
    },
  });
  const first = await controlPlane({ ...options, subscriptions: [fragile] });
  const errors: CloudEvent[] = [];
  first.events.subscribe("system.error", (event) => void errors.push(event));
  await first.client.create(Device, device("one"));
  await vi.waitFor(() => expect(errors.length).toBe(1));
  expect(errors[0]).toMatchObject({
    data: { component: "subscription fragile", message: "out of order", attempts: 2 },
  });
  await first.stop();
  const again = await controlPlane({ ...options, subscriptions: [fragile] });
  // One that fails again stays a dead letter.
  expect(await again.events.retry("fragile")).toBe(1);
  await vi.waitFor(() => expect(again.events.subscriptions()[0]?.dead).toBe(1));
  works = true;
  expect(await again.events.dead()).toMatchObject([
    { subscription: "fragile", reason: "out of order", attempts: 2 },
  ]);
  expect(seen).toEqual([]);
  expect(await again.events.retry("fragile")).toBe(1);
  await vi.waitFor(() => expect(seen).toEqual(["one"]));
  await vi.waitFor(async () => expect(await again.events.dead()).toEqual([]));
  await expect(again.events.retry("nope")).rejects.toThrow(
    "there is no subscription nope: there are fragile",
  );
  await again.stop();
});

test("two subscriptions of one name are refused", async () => {
  const one = subscription({ name: "one", handle() {} });
  const other = subscription({ name: "one", durable: true, handle() {} });
  await expect(started({ subscriptions: [one, other] })).rejects.toThrow(
    "there is a subscription one already",
  );
});

test("follow streams events after a position", async () => {
  await using plane = await started();
  const from = await plane.events.log.position();
  await plane.client.create(Device, device("one"));
  await plane.client.create(Device, device("two"));
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { objectname = "" } of plane.events.follow("**.created", { from, signal: stop.signal })) {
    seen.push(objectname);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual(["one", "two"]);
});

test("a control plane stops although onResync never returns", async () => {
  const store = new MemoryStore();
  const options = { store, listen: false, kinds: [Device] } as const;
  const audit = { name: "audit", on: "dev.racks.device.*", durable: true, handle: () => {} } as const;
  const first = await controlPlane({ ...options, subscriptions: [subscription(audit)] });
  await first.client.create(Device, device("one"));
  await vi.waitFor(() => expect(first.events.subscriptions()[0]?.handled).toBe(1));
  await first.stop();
  const away = await controlPlane(options);
  await away.client.create(Device, device("two"));
  await away.stop();
  await store.compact((await store.status()).revision);
  let calls = 0;
  const onResync = (): Promise<void> => new Promise(() => void calls++);
  const again = await controlPlane({ ...options, subscriptions: [subscription({ ...audit, onResync })] });
  await vi.waitFor(() => expect(calls).toBe(1));
  await again.stop();
  await store.close();
});

test("a handler that emits an event for every event does not cause reports of its cycle for ever", async () => {
  await using plane = await started();
  const seen: CloudEvent[] = [];
  plane.events.subscribe({
    name: "echo",
    on: ["echo.*", "system.error"],
    retries: 0,
    async handle(event, { emit }) {
      seen.push(event);
      await emit({ type: "echo.sent" });
    },
  });
  await plane.events.emit({ type: "echo.sent" });
  const dead = async (): Promise<readonly string[]> =>
    (await plane.events.dead()).map(({ event }) => event.type);
  // The last event of the chain, and the report of the cycle, whose handler fails for the same reason.
  await vi.waitFor(async () => expect(await dead()).toEqual(["echo.sent", "system.error"]));
  expect(seen.filter(({ type }) => type === "system.error").length).toBe(1);
  expect(seen.length).toBe(18);
});
