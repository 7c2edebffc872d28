import { beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { Health } from "./health.js";
import { startHealthMonitor, type HealthChange } from "./health-monitor.js";

let clock: VirtualClock;
let health: Health;
let changes: HealthChange[];
beforeEach(() => {
  clock = new VirtualClock(0);
  health = new Health(clock);
  changes = [];
});

const onChange = (change: HealthChange): void => void changes.push(change);

test("reports changes of the status and of checks, and nothing else", async () => {
  let [disk, store] = [true, true];
  health.check("disk", () => ({ ok: disk, message: "1 % free" }), { critical: false });
  health.check("store", () => store);
  const monitor = startHealthMonitor(health, { clock, every: "10s", onChange });
  await clock.advance(30_000);
  expect(changes).toEqual([]);
  expect(monitor.last).toMatchObject({ status: "healthy", at: 30_000 });
  disk = false;
  await clock.advance(20_000);
  expect(changes).toMatchObject([
    {
      status: "degraded",
      previous: "healthy",
      checks: [{ name: "disk", status: "degraded", previous: "healthy", message: "1 % free" }],
    },
  ]);
  [disk, store] = [true, false];
  await clock.advance(10_000);
  expect(changes[1]).toMatchObject({
    status: "unhealthy",
    previous: "degraded",
    checks: [
      { name: "disk", status: "healthy" },
      { name: "store", status: "unhealthy" },
    ],
  });
  monitor.stop();
  store = true;
  await clock.advance(60_000);
  expect(changes).toHaveLength(2);
  expect(clock.timers).toBe(0);
});

test("checks at once on request, and the next interval starts then", async () => {
  let runs = 0;
  health.check("count", () => void runs++);
  const monitor = startHealthMonitor(health, { clock, every: "10s" });
  await clock.advance(9000);
  await monitor.check();
  expect(runs).toBe(2);
  await clock.advance(9000);
  expect(runs).toBe(2);
  await clock.advance(1000);
  expect(runs).toBe(3);
});

test("a request during a report gets the next one, which several requests share", async () => {
  let isFine = true;
  let runs = 0;
  const monitor = startHealthMonitor(health, { clock });
  health.check("late", () => {
    runs++;
    return isFine;
  });
  isFine = false;
  const reports = await Promise.all([monitor.check(), monitor.check(), monitor.check()]);
  expect(reports.map(({ status }) => status)).toEqual(["unhealthy", "unhealthy", "unhealthy"]);
  expect(runs).toBe(1);
});

test("a removed check is healthy again, and a callback that throws harms nothing", async () => {
  const errors: unknown[] = [];
  const remove = health.check("gone", () => false, { critical: false });
  startHealthMonitor(health, {
    clock,
    onError: (error) => errors.push(error),
    onChange(change) {
      changes.push(change);
      throw new Error("no");
    },
  });
  await clock.advance(0);
  remove();
  await clock.advance(15_000);
  expect(changes.map(({ status, checks }) => [status, checks[0]?.status])).toEqual([
    ["degraded", "degraded"],
    ["healthy", "healthy"],
  ]);
  expect(errors).toHaveLength(2);
});

test("an interval of nothing is refused", () => {
  expect(() => startHealthMonitor(health, { clock, every: 0 })).toThrow(RangeError);
});
