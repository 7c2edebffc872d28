import { expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { MemoryRunStore } from "../../../runtime/runs/memory-run-store.js";
import type { Run } from "../../../runtime/runs/run.js";
import { RunMeter } from "./run-meter.js";

let count = 0;

function run(startedAt: number, fields: Partial<Run> = {}): Run {
  return {
    id: String(count++),
    controller: "sites",
    user: "system:fettle:controller:sites",
    apiVersion: "demo.dev/v1",
    kind: "Site",
    key: `default/${count}`,
    triggers: [],
    droppedTriggers: 0,
    wait: 5,
    startedAt,
    duration: 10,
    failures: 0,
    steps: [],
    writes: [],
    droppedWrites: 0,
    outcome: { type: "done" },
    ...fields,
  };
}

test("counts runs of the last ten seconds, including those before it was started", async () => {
  const clock = new VirtualClock();
  const runs = new MemoryRunStore();
  runs.add(run(clock.now()));
  const meter = await RunMeter.start({ runs }, clock);
  runs.add(run(clock.now(), { outcome: { type: "error", reason: "Error", message: "no" } }));
  runs.add(run(clock.now(), { controller: "pages" }));
  expect(meter.ratesOf("sites")).toMatchObject({ runsPerSecond: 0.2, errorsPerSecond: 0.1 });
  expect(meter.ratesOf("nobody")).toEqual({
    runsPerSecond: 0,
    errorsPerSecond: 0,
    duration: { p50: 0, p99: 0 },
    wait: { p50: 0, p99: 0 },
  });
  await clock.advance(11_000);
  expect(meter.ratesOf("sites")).toMatchObject({ runsPerSecond: 0, duration: { p50: 10 } });
});

test("computes percentiles over the last 500 runs", async () => {
  const clock = new VirtualClock();
  const runs = new MemoryRunStore();
  const meter = await RunMeter.start({ runs }, clock);
  for (let turn = 0; turn < 3000; turn++) runs.add(run(clock.now(), { duration: 1000, wait: 0 }));
  for (let turn = 1; turn <= 500; turn++) runs.add(run(clock.now(), { duration: turn, wait: 2 * turn }));
  expect(meter.ratesOf("sites")).toMatchObject({
    duration: { p50: 250, p99: 495 },
    wait: { p50: 500, p99: 990 },
  });
  meter.end();
  runs.add(run(clock.now(), { controller: "other" }));
  expect(meter.ratesOf("other").runsPerSecond).toBe(0);
});
