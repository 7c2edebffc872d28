import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import type { QueueItem } from "./queue-item.js";
import { batched, scheduled, type RunWindow, type Strategy } from "./strategy.js";
import { WorkQueue } from "./work-queue.js";

const hour = 3_600_000;

/** Open from two to three o'clock, every day from 1970 on. */
const nights: RunWindow = {
  name: "nights",
  timeZone: "UTC",
  isOpen: (at) => at % (24 * hour) >= 2 * hour && at % (24 * hour) < 3 * hour,
  nextOpening: (at) => at - (at % (24 * hour)) + (at % (24 * hour) < 2 * hour ? 2 : 26) * hour,
  closes: (at) => at - (at % hour) + hour,
};

function queueWith(strategy: Strategy) {
  const clock = new VirtualClock(0);
  return { clock, queue: new WorkQueue<string>({ clock, strategy }) };
}

/** Takes the next item, which has to be there. */
function take(queue: WorkQueue<string>): QueueItem<string> {
  const item = queue.tryTake();
  if (item === undefined) throw new Error("nothing is due");
  return item;
}

test("a batch tells how full it is, and when it is released", async () => {
  const { clock, queue } = queueWith(batched({ size: 3, timeout: "30s", name: "rollout" }));
  queue.add("a", "changed");
  await clock.advance(10_000);
  queue.add("b", "changed");
  queue.add("b", "changed again");
  const hold = { type: "batched", name: "rollout", keys: 2, size: 3, until: 30_000 };
  expect(queue.inspect("b")).toMatchObject({ state: "batched", reasons: ["changed", "changed again"], hold });
  expect(queue.holds()).toEqual([hold]);
  queue.add("c", "changed");
  expect(queue.inspect("b")).toMatchObject({ state: "waiting" });
  expect(queue.inspect("b")).not.toHaveProperty("hold");
  expect(queue.holds()).toEqual([]);
});

test("a window tells when it opens and closes, and how many keys wait for it", async () => {
  const { clock, queue } = queueWith(scheduled(nights));
  queue.add("a", "changed");
  queue.add("b", "changed");
  const hold = {
    type: "scheduled",
    name: "nights",
    keys: 1,
    until: 2 * hour,
    closes: 3 * hour,
    timeZone: "UTC",
  };
  expect(queue.inspect("a")).toMatchObject({ state: "delayed", hold });
  expect(queue.holds()).toEqual([{ ...hold, keys: 2 }]);
  await clock.advance(2 * hour);
  expect(queue.holds()).toEqual([]);
  const item = take(queue);
  // A delay within the open window is no hold of the strategy.
  queue.done(item, { type: "requeue", after: 60_000, reason: "later" });
  expect(queue.inspect("a")).toMatchObject({ state: "delayed" });
  expect(queue.holds()).toEqual([]);
});

test("a key that runs shows what holds its next run", () => {
  const { queue } = queueWith(batched({ size: 1, timeout: "30s" }));
  queue.add("a", "changed");
  const item = take(queue);
  expect(queue.inspect("a")).toMatchObject({ state: "running" });
  expect(queue.inspect("a")).not.toHaveProperty("hold");
  queue.done(item, { type: "done" });
  expect(queue.inspect("a")).toBeUndefined();
});

test("dead and paused keys are found by name", () => {
  const { queue } = queueWith({ type: "immediate" });
  queue.add("a", "changed");
  queue.done(take(queue), { type: "dead", reason: "broken" });
  expect(queue.inspect("a")).toMatchObject({ state: "dead", reasons: ["changed", "broken"] });
  queue.pause("b");
  expect(queue.inspect("b")).toMatchObject({ state: "paused" });
});
