import { Event } from "fettle/kubernetes";
import { VirtualClock } from "fettle/model";
import { perturb, type Scenario } from "fettle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestPlane, type TestPlane } from "../test-plane.js";
import { Device, devices } from "./device.js";
import { MemoryGateway } from "./memory-gateway.js";

let gateway: MemoryGateway;
let plane: TestPlane;

beforeEach(async () => {
  gateway = new MemoryGateway();
  plane = await startTestPlane({
    kinds: [Device],
    controllers: [devices(gateway)],
    clock: new VirtualClock("2026-01-01T08:00:00Z"),
  });
});
afterEach(() => plane[Symbol.asyncDispose]());

const pump = { metadata: { name: "pump" }, spec: { desired: "running", config: { mode: "eco" } } } as const;

const startPump = async () => {
  await plane.client.create(Device, pump);
  await plane.until(Device, "pump", (device) => device?.status?.state === "running");
};

test("a device is connected, configured and started", async () => {
  await startPump();
  expect(gateway.done).toEqual(["connect pump", "configure pump", "start pump"]);
  expect((await plane.client.get(Device, "pump")).status).toMatchObject({
    state: "running",
    lastSeen: "2026-01-01T08:00:00.000Z",
    observedGeneration: 1,
    conditions: [{ type: "Ready", status: "True", reason: "DeviceRunning", message: "Device is running" }],
  });
  await plane.untilAll(Event, (events) =>
    events.some((event) => event.reason === "io.example.device.started" && event.count === 1),
  );
});

test("a changed spec is followed, and what is as it should be is left alone", async () => {
  await startPump();
  gateway.done.length = 0;
  await plane.client.patch(Device, "pump", { spec: { desired: "stopped" } });
  const stopped = await plane.until(Device, "pump", (device) => device?.status?.state === "stopped");
  expect(gateway.done).toEqual(["stop pump"]);
  expect(stopped?.status?.conditions).toMatchObject([
    { type: "Ready", status: "False", reason: "DeviceStopped" },
  ]);
});

test("every five minutes it is looked at again, and drift is repaired", async () => {
  await startPump();
  gateway.done.length = 0;
  gateway.crash("pump");
  gateway.tamper("pump", { mode: "turbo" });
  await plane.pass("4m");
  expect(gateway.done).toEqual([]);
  await plane.pass("1m");
  expect(gateway.done).toEqual(["configure pump", "start pump"]);
  const { status } = await plane.client.get(Device, "pump");
  expect(status?.lastSeen).toBe("2026-01-01T08:05:00.000Z");
});

test("what fails for now is tried again after 1, 2, 4 seconds", async () => {
  gateway.failConnections(3);
  await plane.client.create(Device, pump);
  const failing = await plane.until(Device, "pump", (device) => device?.status?.conditions !== undefined);
  expect(failing?.status?.conditions).toMatchObject([
    { type: "Ready", status: "False", message: expect.stringContaining("pump does not answer") },
  ]);
  await plane.pass("6s");
  expect(gateway.done).toEqual([]);
  await plane.pass("1s");
  expect(gateway.done).toEqual(["connect pump", "configure pump", "start pump"]);
  const runs = await plane.controllers.runs.find({ kind: "Device", key: "default/pump" });
  expect(runs.map((run) => run.outcome.type)).toEqual(["error", "error", "error", "requeue"]);
});

test.each([
  ["is missing", undefined, "a device needs a config: set spec.config"],
  ["is refused by the device", { colour: "red" }, "pump has no colour"],
])("a config that %s is not tried again until it is mended", async (_, config, why) => {
  const { client, controllers, until, pass } = plane;
  await client.create(Device, { ...pump, spec: { desired: "running", ...(config && { config }) } });
  const invalid = await until(Device, "pump", (device) => device?.status?.conditions !== undefined);
  expect(invalid?.status?.conditions).toEqual(
    ["Ready", "Stalled"].map((type) =>
      expect.objectContaining({ type, reason: "InvalidConfig", message: expect.stringContaining(why) }),
    ),
  );
  await pass("1h");
  expect(await controllers.runs.find({ kind: "Device", key: "default/pump" })).toHaveLength(1);
  await client.patch(Device, "pump", { spec: { config: { mode: "eco", colour: null } } });
  await until(Device, "pump", (device) => device?.status?.state === "running");
});

test("somebody can ask for a look, and say why", async () => {
  await startPump();
  gateway.crash("pump");
  plane.controllers.enqueue(Device, "pump", { reason: "Manual trigger" });
  await plane.controllers.idle();
  expect(gateway.done.at(-1)).toBe("start pump");
  const last = (await plane.controllers.runs.find({ kind: "Device", key: "default/pump" })).at(-1);
  expect(last?.triggers).toMatchObject([{ type: "manual", text: "Manual trigger" }]);
});

test("a plan tells what would be done, and does nothing", async () => {
  await startPump();
  gateway.done.length = 0;
  const device = await plane.client.get(Device, "pump");
  const { steps } = await plane.controllers
    .get(Device)
    .plan({ ...device, spec: { ...device.spec, desired: "stopped" } });
  expect(steps.map(({ name, outcome }) => `${name}: ${outcome}`)).toEqual([
    "check: planned",
    "connect: skipped",
    "configure: skipped",
    "stop: planned",
  ]);
  expect(gateway.done).toEqual([]);
});

test("a device is stopped before it goes", async () => {
  await startPump();
  await plane.client.delete(Device, "pump");
  await plane.until(Device, "pump", (device) => device === undefined);
  expect(gateway.done.at(-1)).toBe("stop pump");
});

test("what is shown may be old: a device that was deleted is not started again", async () => {
  const scenario: Scenario<MemoryGateway> = {
    controllers: (gateway) => [devices(gateway)],
    world: { create: () => new MemoryGateway(), snapshot: (gateway) => gateway.all() },
    async workload({ client, settled }) {
      await client.create(Device, pump);
      await client.create(Device, { ...pump, metadata: { name: "fan" } });
      await settled();
      await client.delete(Device, "pump");
      await client.delete(Device, "fan");
      await settled();
    },
  };
  const report = await perturb(scenario, { faults: ["stale"] });
  expect(report.failures, report.text()).toEqual([]);
});
