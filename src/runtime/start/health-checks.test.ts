import { expect, test } from "vitest";
import type { InformerState } from "../../client/informer/informers.js";
import { VirtualClock } from "../../model/core.js";
import { WorkQueue } from "../queue/work-queue.js";
import type { Trigger } from "../runs/run.js";
import { checkInformers, checkQueues } from "./health-checks.js";

function informer(state: Partial<InformerState>): InformerState {
  const kind = { apiVersion: "demo.dev/v1", kind: "Site", plural: "sites", scope: "Namespaced" as const };
  const counts = { lists: 1, watches: 1, errors: 0, users: 1, size: 0, resourceVersion: "1" };
  return { kind, scope: {}, synced: true, phase: "watching", ...counts, ...state };
}

test("informers are ready after the first list, and degraded when a watch goes on failing", () => {
  const now = 1_000_000;
  const failing = { phase: "waiting", failingSince: now - 45_000, lastError: new Error("refused") } as const;
  expect(checkInformers([informer({})], now)).toBe(true);
  expect(checkInformers([informer({ synced: false })], now)).toEqual({
    ok: false,
    message: "waiting for the first list of Site",
  });
  expect(checkInformers([informer({}), informer(failing)], now)).toEqual({
    ok: false,
    critical: false,
    message: "watching Site has failed for 45s: refused",
  });
  expect(checkInformers([informer({ ...failing, phase: "watching" })], now), "connected again").toBe(true);
  expect(checkInformers([informer({ ...failing, failingSince: now - 1000 })], now), "a restart").toBe(true);
});

test("queues are degraded when an object waits too long, or was given up", async () => {
  const clock = new VirtualClock(0);
  const queue = new WorkQueue<Trigger>({ clock });
  let isPaused = false;
  const sites = {
    name: "sites",
    concurrency: 4,
    isPaused: () => isPaused,
    dead: () => queue.dead(),
    loop: { active: 4, queue },
  };
  const standby = { ...sites, name: "standby", loop: undefined, dead: () => [] };
  const reason: Trigger = { type: "created", at: 0 };
  queue.add("default/old", reason);
  await clock.advance(300_000);
  expect(checkQueues([sites, standby])).toBe(true);
  await clock.advance(60_000);
  expect(checkQueues([sites])).toEqual({
    ok: false,
    message: "sites: an object has waited 6m for a worker (4 of 4 workers busy)",
  });
  isPaused = true;
  expect(checkQueues([sites]), "waiting is what a pause is for").toBe(true);
  isPaused = false;
  const item = queue.tryTake() ?? expect.fail("no item");
  queue.done(item, { type: "dead", reason });
  expect(checkQueues([sites])).toEqual({ ok: false, message: "sites: 1 object was given up" });
});
