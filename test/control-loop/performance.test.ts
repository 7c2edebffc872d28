import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../src/model/index.js";
import { loadConfig } from "../../src/plane/config/load-config.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import { startMonitoring } from "../../src/plane/monitoring/start-monitoring.js";
import { silent } from "../../src/runtime/log/log.js";
import { runOf } from "../../src/runtime/runs/fixtures/sample-run.js";

/** Starts the measurements of a configuration, in virtual time. */
async function measure(settings: string) {
  const cwd = await mkdtemp(join(tmpdir(), "fettle-performance-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "fettle.yaml"), `performance: ${settings}\n`);
  const { config } = await loadConfig({ cwd, env: {} });
  const plane = await controlPlane({ store: "memory", listen: false });
  onTestFinished(() => plane.stop());
  plane.monitoring.stop();
  const clock = new VirtualClock(0);
  const alerts: string[] = [];
  const monitoring = startMonitoring({
    controllers: plane.controllers,
    clock,
    log: silent,
    performance: config.performance,
    monitoring: {
      onAlert: ({ state, metric, statistic }) => void alerts.push(`${metric}.${statistic} ${state}`),
    },
  });
  onTestFinished(() => monitoring.stop());
  return { plane, clock, alerts, families: () => monitoring.families() };
}

describe("each key of performance changes behaviour", () => {
  test.each([
    [
      "[{ name: reconciliation_duration, type: histogram, buckets: [1, 5] }]",
      "reconciliation_duration",
      "histogram",
      ["1", "5"],
    ],
    [
      "[{ name: reconciliation_duration, type: histogram, buckets: [2] }]",
      "reconciliation_duration",
      "histogram",
      ["2"],
    ],
    ["[{ name: reconciliation_duration, type: gauge }]", "reconciliation_duration", "gauge", []],
    ["[{ name: mine, source: reconciliation_duration, buckets: [7] }]", "mine", "histogram", ["7"]],
  ])("metrics: %s", async (metrics, name, type, bounds) => {
    const { plane, families } = await measure(`{ metrics: ${metrics} }`);
    plane.controllers.runs.add(runOf({ duration: 3000 }));
    const family = families().find((each) => each.name === name);
    expect(family?.type).toBe(type);
    const text = JSON.stringify(family);
    for (const bound of bounds) expect(text).toContain(`{"le":${bound}}`);
  });

  test.each([
    ["p50: 1s, alert: true", ["reconciliation_duration.p50 raised"]],
    ["p90: 1s, alert: true", ["reconciliation_duration.p90 raised"]],
    ["p95: 1s, alert: true", ["reconciliation_duration.p95 raised"]],
    ["p99: 1s, alert: true", ["reconciliation_duration.p99 raised"]],
    ["max: 1s, alert: true", ["reconciliation_duration.max raised"]],
    ["max: 5s, alert: true", []],
    ["max: 1s, alert: false", []],
    ["max: 1s", []],
    ["max: 1s, alert: true, for: 2m", []],
    ["max: 1s, alert: true, for: 5", ["reconciliation_duration.max raised"]],
  ])("thresholds: { reconciliation_duration: { %s } }: alerts within 50 s", async (threshold, expected) => {
    const { plane, clock, alerts } = await measure(
      `{ thresholds: { reconciliation_duration: { ${threshold} } } }`,
    );
    plane.controllers.runs.add(runOf({ duration: 3000 }));
    await clock.advance(50_000);
    expect(alerts).toEqual(expected);
  });

  test.each([
    ["10s", 2],
    ["10m", 1],
  ])("resolveAfter: %s", async (time, count) => {
    const { plane, clock, alerts } = await measure(
      `{ thresholds: { reconciliation_duration: { max: 1s, alert: true, for: 1, resolveAfter: ${time} } } }`,
    );
    plane.controllers.runs.add(runOf({ duration: 3000 }));
    await clock.advance(200_000);
    expect(alerts).toHaveLength(count);
  });

  test("a metric that does not exist is refused", async () => {
    await expect(measure("{ thresholds: { nope: { max: 1 } } }")).rejects.toThrow(
      "performance threshold nope: there is no such metric",
    );
  });
});
