import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { createLog } from "../../runtime/log/create-log.js";
import { runOf } from "../../runtime/runs/fixtures/sample-run.js";
import { controlPlane } from "../control-plane.js";
import { startMonitoring } from "./start-monitoring.js";

test("health and alerts are logged, and go to their callbacks", async () => {
  await using plane = await controlPlane({ store: "memory", listen: false });
  plane.monitoring.stop();
  const clock = new VirtualClock(0);
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
  const heard: string[] = [];
  const monitoring = startMonitoring({
    controllers: plane.controllers,
    clock,
    log,
    performance: {
      metrics: [{ name: "run_seconds", source: "reconciliation_duration" }],
      thresholds: { run_seconds: { p50: "1s", alert: true, for: "5s", resolveAfter: "5s" } },
    },
    monitoring: {
      // Other checks depend on how busy the machine is.
      onHealthChange: ({ checks }) =>
        heard.push(...checks.filter(({ name }) => name === "shop").map(({ status }) => status)),
      onAlert: ({ state }) => {
        heard.push(state);
        throw new Error("the sink is down");
      },
    },
  });
  const remove = plane.controllers.health.check("shop", () => ({ ok: false, message: "closed" }));
  plane.controllers.runs.add(runOf({ duration: 3000 }));
  await monitoring.health.check();
  await clock.advance(20_000);
  expect(heard).toEqual(["unhealthy", "raised"]);
  remove();
  await monitoring.health.check();
  await clock.advance(120_000);
  expect(heard).toEqual(["unhealthy", "raised", "healthy", "resolved"]);
  const text = lines.join("");
  expect(text).toMatch(/health changed from \w+ to unhealthy; .*shop is unhealthy \(closed\)/);
  expect(text).toMatch(/alert raised: run_seconds p50 is (2.9|3.0)\d*s/);
  expect(text).toContain("the sink is down");
  const names = monitoring.families().map(({ name }) => name);
  expect(names).toEqual([
    "fettle_health_check",
    "fettle_health_status",
    "run_seconds",
    "fettle_threshold_exceeded",
  ]);
  monitoring.stop();
  expect(clock.timers).toBe(0);
});

test("without performance there are no metrics under its names", async () => {
  await using plane = await controlPlane({ store: "memory", listen: false });
  const names = plane.monitoring.families().map(({ name }) => name);
  expect(names).toEqual(["fettle_health_check", "fettle_health_status"]);
});

test.each([
  [
    { metrics: [{ name: "workqueue_depth", source: "event_queue_size" }] },
    "there is a metric of that name already",
  ],
  [{ thresholds: { nope: { max: 1 } } }, "performance threshold nope: there is no such metric"],
])("a control plane refuses %j", async (performance, message) => {
  await expect(controlPlane({ store: "memory", listen: false, performance })).rejects.toThrow(message);
});
