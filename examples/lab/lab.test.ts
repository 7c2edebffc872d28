import type { Poller } from "fettle";
import { VirtualClock } from "fettle/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestPlane, type TestPlane } from "../test-plane.js";
import { bookings, watchBookings, type Booking } from "./bookings.js";
import { MemoryContainers } from "./containers.js";
import { LabInstanceRequest, type Lab } from "./lab.js";
import { labs } from "./labs.js";
import { patrol } from "./patrol.js";

let booked: Booking[];
let isDown: boolean;
let containers: MemoryContainers;
let poller: Poller<Lab>;
let plane: TestPlane;

beforeEach(async () => {
  const clock = new VirtualClock("2026-01-01T08:00:00Z");
  booked = [];
  isDown = false;
  containers = new MemoryContainers();
  const list = async () => {
    if (isDown) throw new Error("the booking system is down");
    return [...booked];
  };
  poller = watchBookings({ list }, clock);
  plane = await startTestPlane({
    kinds: [LabInstanceRequest],
    controllers: [labs(containers), bookings(poller)],
    schedules: [patrol(containers)],
    clock,
  });
});
afterEach(async () => {
  await plane[Symbol.asyncDispose]();
  await poller.stop();
});

const course: Booking = { id: "course", image: "linux:6", start: "2026-01-01T10:00:00Z", hours: 2 };

const phase = async () => (await plane.client.get(LabInstanceRequest, "course")).status?.phase;

const startLab = async () => {
  booked.push(course);
  await plane.pass("2h1m");
  containers.states.set("default-course", "running");
  await plane.pass("1m");
  expect(await phase()).toBe("RUNNING");
};

test("a lab is booked at eight, starts at ten and is stopped at noon", async () => {
  booked.push(course);
  await plane.pass("1h59m");
  expect((await plane.client.get(LabInstanceRequest, "course")).status).toMatchObject({
    phase: "PENDING",
    conditions: [{ type: "Ready", status: "False", message: "starts at 2026-01-01T10:00:00Z" }],
  });
  expect(containers.states.size).toBe(0);

  await plane.pass("1m");
  expect(await phase()).toBe("PROVISIONING");
  expect([...containers.states]).toEqual([["default-course", "starting"]]);

  containers.states.set("default-course", "running");
  await plane.pass("30s");
  expect((await plane.client.get(LabInstanceRequest, "course")).status).toMatchObject({
    phase: "RUNNING",
    startedAt: "2026-01-01T10:00:30.000Z",
    conditions: [{ type: "Ready", status: "True", reason: "Running" }],
  });

  await plane.pass("1h59m");
  expect(await phase()).toBe("RUNNING");
  await plane.pass("1m");
  expect(await phase()).toBe("TIMEOUT");
  expect(containers.states.size).toBe(0);
});

test("a lab sleeps until it has something to do", async () => {
  await startLab();
  const before = (await plane.controllers.runs.find()).length;
  await plane.pass("1h30m");
  expect((await plane.controllers.runs.find()).length).toBe(before);
  await plane.pass("30m");
  const last = (await plane.controllers.runs.find()).slice(before);
  expect(last[0]?.triggers).toContainEqual(expect.objectContaining({ type: "requeue", text: "expiry" }));
});

test.each([
  ["stopped", "COMPLETED"],
  ["error", "FAILED"],
] as const)("a container that is %s by itself makes its lab %s within half a minute", async (state, end) => {
  await startLab();
  containers.states.set("default-course", state);
  await plane.pass("30s");
  const { status } = await plane.client.get(LabInstanceRequest, "course");
  expect(status).toMatchObject({
    phase: end,
    conditions: [{ type: "Ready", status: "False", reason: "Ended" }],
  });
  expect(containers.states.size).toBe(0);
  await plane.pass("3h");
  expect(await phase()).toBe(end);
});

test("a container that cannot start fails its lab", async () => {
  booked.push(course);
  await plane.pass("2h");
  containers.states.set("default-course", "error");
  await plane.pass("30s");
  expect(await phase()).toBe("FAILED");
});

test("what has expired is ended even if its controller is at rest", async () => {
  await startLab();
  plane.controllers.get("labinstancerequests.labs.example.io").pause();
  await plane.pass("2h");
  expect(await phase()).toBe("TIMEOUT");
  expect(containers.states.size).toBe(0);
});

test("a booking that is moved or cancelled takes its lab along", async () => {
  booked.push(course);
  await plane.pass("10m");
  booked[0] = { ...course, start: "2026-01-01T09:00:00Z" };
  await plane.pass("51m");
  expect(await phase()).toBe("PROVISIONING");
  booked.pop();
  await plane.pass("1m");
  expect(await plane.client.find(LabInstanceRequest, "course")).toBeUndefined();
  expect(containers.states.size).toBe(0);
});

test("the watcher tells how it is doing, and an outage of the booking system does not end it", async () => {
  booked.push(course);
  await plane.pass("10m");
  const calm = poller.stats();
  expect(calm).toMatchObject({ changesDetected: 1, errors: 0, eventsPublished: { CREATED: 1, UPDATED: 0 } });
  expect(calm.iterations).toBeGreaterThan(50);
  expect(calm.cacheHitRatio).toBeGreaterThan(0.9);

  isDown = true;
  await plane.pass("1m");
  expect(poller.stats().consecutiveErrors).toBeGreaterThan(1);
  expect(await phase()).toBe("PENDING");
  isDown = false;
  booked.push({ ...course, id: "seminar" });
  await plane.pass("5m");
  expect(poller.stats().consecutiveErrors).toBe(0);
  expect((await plane.client.list(LabInstanceRequest)).items).toHaveLength(2);
});
