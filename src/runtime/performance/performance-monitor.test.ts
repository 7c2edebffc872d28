import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import type { PerformanceOptions } from "./options.js";
import { startPerformanceMonitor, type Alert } from "./performance-monitor.js";
import { formatQuantity, quantityOf } from "./quantities.js";

let clock: VirtualClock;
let alerts: Alert[];
beforeEach(() => {
  clock = new VirtualClock(0);
  alerts = [];
});

function start(options: PerformanceOptions, memory: () => number = () => 1000) {
  return startPerformanceMonitor({ ...options, clock, memory, onAlert: (alert) => alerts.push(alert) });
}

/** Values of a metric by name and labels, as in /metrics. */
function valuesOf({ families }: ReturnType<typeof start>): Record<string, number> {
  const values: Record<string, number> = {};
  for (const family of families)
    for (const { name = family.name, labels, value } of family.samples())
      values[[name, ...Object.values(labels)].join(" ")] = value;
  return values;
}

describe("metrics", () => {
  test("have the names, types and buckets of the sources by default", () => {
    const monitor = start({});
    monitor.addQueue("sites", () => 3);
    monitor.addQueue("events", () => 4)();
    monitor.observe("event_processing_time", 300);
    monitor.observe("reconciliation_duration", 7000);
    expect(monitor.families.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "event_processing_time histogram",
      "reconciliation_duration histogram",
      "memory_usage gauge",
      "event_queue_size gauge",
    ]);
    expect(valuesOf(monitor)).toMatchObject({
      "event_processing_time_bucket 0.01": 0,
      "event_processing_time_bucket 0.5": 1,
      "event_processing_time_bucket 5": 1,
      event_processing_time_sum: 0.3,
      "reconciliation_duration_bucket 1": 0,
      "reconciliation_duration_bucket 10": 1,
      "reconciliation_duration_bucket 300": 1,
      memory_usage: 1000,
      "event_queue_size sites": 3,
    });
    expect(clock.timers, "nothing to compare").toBe(0);
  });

  test("have other names, types and buckets if they are configured", async () => {
    const monitor = start({
      metrics: [
        { name: "handling", source: "event_processing_time", type: "histogram", buckets: [1, 2] },
        { name: "reconciliation_duration", type: "gauge" },
        { name: "memory_usage", type: "histogram", buckets: [500, 2000] },
      ],
    });
    monitor.observe("event_processing_time", 1500);
    monitor.observe("reconciliation_duration", 7000);
    await clock.advance(10_000);
    expect(valuesOf(monitor)).toMatchObject({
      "handling_bucket 1": 0,
      "handling_bucket 2": 1,
      reconciliation_duration: 7,
      "memory_usage_bucket 500": 0,
      "memory_usage_bucket 2000": 2,
    });
  });
});

describe("thresholds", () => {
  test("raise an alert once the limit was exceeded for a while, and resolve it below 90 %", async () => {
    let memory = 2e9;
    const monitor = start({ thresholds: { memory_usage: { max: "1GB", alert: true } } }, () => memory);
    await clock.advance(30_000);
    expect(alerts).toEqual([]);
    await clock.advance(5000);
    expect(alerts).toEqual([
      {
        name: "memory_usage.max",
        state: "raised",
        metric: "memory_usage",
        statistic: "max",
        limit: 1e9,
        value: 2e9,
        unit: "bytes",
        message: "memory_usage max is 2 GB, above its limit of 1 GB",
        raisedAt: 35_000,
      },
    ]);
    expect(monitor.alerts()).toEqual(alerts);
    expect(valuesOf(monitor)["fettle_threshold_exceeded memory_usage max"]).toBe(1);
    memory = 0.95e9;
    await clock.advance(600_000);
    expect(alerts).toHaveLength(1);
    memory = 0.5e9;
    await clock.advance(65_000);
    expect(alerts[1]).toMatchObject({ state: "resolved", raisedAt: 35_000, resolvedAt: 700_000 });
    expect(alerts[1]?.message).toBe("memory_usage max is 500 MB, below its limit of 1 GB again");
    expect(monitor.alerts()).toMatchObject([{ state: "resolved" }]);
    monitor.stop();
    expect(clock.timers).toBe(0);
  });

  test("of percentiles cover the last minute, and times without a value are no violation", async () => {
    const monitor = start({ thresholds: { event_processing_time: { p99: "500ms", p50: 0.1, alert: true } } });
    for (let turn = 0; turn < 10; turn++) {
      for (let fast = 0; fast < 95; fast++) monitor.observe("event_processing_time", 20);
      for (let slow = 0; slow < 5; slow++) monitor.observe("event_processing_time", 800);
      await clock.advance(5000);
    }
    expect(alerts).toMatchObject([{ name: "event_processing_time.p99", state: "raised", unit: "seconds" }]);
    expect(alerts[0]?.message).toMatch(
      /^event_processing_time p99 is (79|80)\dms, above its limit of 500ms$/,
    );
    await clock.advance(180_000);
    expect(alerts[1]?.message).toBe(
      "event_processing_time p99 is without a value, below its limit of 500ms again",
    );
  });

  test("have their own times, and are metrics only without alert: true", async () => {
    const monitor = start({
      thresholds: {
        memory_usage: { max: 500, for: "1m", alert: true },
        event_queue_size: { max: 10, for: 0 },
      },
    });
    monitor.addQueue("a", () => 6);
    monitor.addQueue("b", () => 6);
    await clock.advance(60_000);
    expect(valuesOf(monitor)).toMatchObject({
      "fettle_threshold_exceeded memory_usage max": 0,
      "fettle_threshold_exceeded event_queue_size max": 1,
    });
    expect(alerts).toEqual([]);
    await clock.advance(5000);
    expect(alerts).toMatchObject([{ name: "memory_usage.max" }]);
  });

  test("a callback that throws harms nothing", async () => {
    const errors: unknown[] = [];
    const monitor = startPerformanceMonitor({
      clock,
      memory: () => 2,
      thresholds: { memory_usage: { max: 1, alert: true, for: 0 } },
      onAlert: () => Promise.reject(new Error("no sink")),
      onError: (error) => errors.push(error),
    });
    await clock.advance(60_000);
    expect(errors).toHaveLength(1);
    expect(monitor.alerts()).toHaveLength(1);
  });
});

test.each<[unknown, string]>([
  [{ metrics: [{ name: "a b", type: "gauge", source: "memory_usage" }] }, 'metric "a b": a name has letters'],
  [
    { metrics: [{ name: "nope", type: "gauge" }] },
    "nothing is measured as nope; set source to one of event_",
  ],
  [{ metrics: [{ name: "memory_usage", type: "summary" }] }, "type is summary: use histogram or gauge"],
  [{ metrics: [{ name: "memory_usage", type: "gauge", buckets: [1] }] }, "a gauge has no buckets"],
  [
    { metrics: [{ name: "memory_usage", type: "histogram", buckets: [2, 1] }] },
    "buckets are ascending numbers",
  ],
  [
    {
      metrics: [
        { name: "memory_usage", type: "gauge" },
        { name: "memory_usage", type: "gauge" },
      ],
    },
    "two of that name",
  ],
  [
    { thresholds: { cpu: { max: 1 } } },
    "threshold cpu: there is no such metric; use one of event_processing_time",
  ],
  [
    { thresholds: { memory_usage: { max: "much" } } },
    'threshold memory_usage: max: "much" is not a limit: give a size',
  ],
  [{ thresholds: { memory_usage: { max: "5s" } } }, "such as"],
  [{ thresholds: { event_processing_time: { p99: "1GB" } } }, "give a duration"],
  [{ thresholds: { event_processing_time: { p100: "1s" } } }, "unknown key p100: use max, a percentile"],
  [{ thresholds: { event_processing_time: { median: "1s" } } }, "unknown key median"],
  [{ thresholds: { event_processing_time: { alert: true } } }, "it has no limit; set max, or a percentile"],
  [{ thresholds: { memory_usage: { max: 1, alert: "yes" } } }, "alert is yes: use true or false"],
  [{ thresholds: { memory_usage: { max: 1, for: "soon" } } }, "for: "],
])("%j is refused", (options, message) => {
  expect(() => start(options as PerformanceOptions)).toThrow(message);
});

test.each([
  ["1GB", "bytes", 1e9, "1 GB"],
  ["1.5 GiB", "bytes", 1.5 * 2 ** 30, "1.61 GB"],
  ["512Mi", "bytes", 512 * 2 ** 20, "537 MB"],
  ["900", "bytes", 900, "900 B"],
  ["500ms", "seconds", 0.5, "500ms"],
  [2, "seconds", 2, "2s"],
  ["1m30s", "seconds", 90, "1m30s"],
  [0.0012, "seconds", 0.0012, "1.2ms"],
  [12.345, "count", 12.345, "12.35"],
] as const)("%s %s", (text, unit, value, shown) => {
  expect(quantityOf(text, unit)).toBe(value);
  expect(formatQuantity(value, unit)).toBe(shown);
});
