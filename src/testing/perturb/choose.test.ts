import { expect, test } from "vitest";
import { seededRandom } from "../time/seeded-random.js";
import { choose, faultsOf, sharesOf } from "./choose.js";
import type { RecordedEffect, DeliveredEvent } from "./director.js";
import { faultKinds, scheduleId } from "./schedule.js";

const effect = (number: number, facts: Partial<RecordedEffect> = {}): RecordedEffect => ({
  number,
  what: `effect ${number}`,
  outside: false,
  verb: "patch",
  revision: 10 * number,
  changed: true,
  ...facts,
});
const delivered = (number: number, facts: Partial<DeliveredEvent> = {}): DeliveredEvent => ({
  number,
  what: `event ${number}`,
  revision: 10 * number,
  deleted: false,
  ...facts,
});
const ids = (faults: ReturnType<typeof faultsOf>) =>
  Object.fromEntries([...faults].map(([kind, all]) => [kind, all.map((fault) => scheduleId([fault]))]));

test("faults are placed at effects and events where they make a difference", () => {
  const effects = [
    effect(1, { verb: "create" }),
    effect(2, { outside: true, verb: undefined, changed: false }),
    effect(3, { outside: true, verb: undefined, atOnce: true }),
    effect(4, { changed: false }),
  ];
  expect(ids(faultsOf({ effects, delivered: [delivered(1)], writes: [5] }))).toEqual({
    crash: ["crash@1", "crash@2", "crash@3"],
    down: ["down@1", "down@3"],
    stale: ["stale@1:e1", "stale@1:w1", "stale@3:e3", "stale@3:w1"],
    missed: ["missed@1"],
    lag: ["lag@1", "lag@3"],
    lost: ["lost@1", "lost@2", "lost@3"],
    error: ["error@1", "error@2", "error@3", "error@4"],
    conflict: ["conflict@4"],
    slow: ["slow@1"],
    repeated: ["repeated@1"],
  });
});

test("a call without visible effect is a place for a fault once, and not when repeated", () => {
  const look = { what: "world.list()", outside: true, verb: undefined, changed: false };
  const effects = [effect(1, look), effect(2, look), effect(3), effect(4, look), effect(5, look)];
  expect(ids(faultsOf({ effects, delivered: [], writes: [] }, ["crash"]))).toEqual({
    crash: ["crash@1", "crash@3", "crash@4"],
  });
});

test("stale states are those before earlier writes and deletions", () => {
  const faults = faultsOf(
    {
      effects: [effect(3)],
      delivered: [delivered(2, { deleted: true }), delivered(5, { deleted: true })],
      writes: [5, 25, 40],
    },
    ["stale"],
  );
  expect(ids(faults)).toEqual({ stale: ["stale@3:e3", "stale@3:w2", "stale@3:w1", "stale@3:t2"] });
});

test("shares are even, and unused parts go to others", () => {
  expect(sharesOf([10, 10, 10], 6)).toEqual([2, 2, 2]);
  expect(sharesOf([1, 10, 10], 7)).toEqual([1, 3, 3]);
  expect(sharesOf([2, 3], 100)).toEqual([2, 3]);
  expect(sharesOf([5, 5, 5], 2)).toEqual([1, 1, 0]);
});

test("choices are spread over the workload, distinct, and the same for the same seed", () => {
  const effects = Array.from({ length: 100 }, (_, index) => effect(index + 1));
  const chosen = (seed: number) =>
    choose(
      { effects, delivered: [], writes: [] },
      { kinds: ["crash", "lost"], limit: 50, random: seededRandom(seed) },
    ).chosen.map(scheduleId);
  expect(new Set(chosen(1)).size).toBe(50);
  expect(chosen(1)).toEqual(chosen(1));
  expect(chosen(1)).not.toEqual(chosen(2));
  const crashes = chosen(3).filter((id) => id.startsWith("crash"));
  expect(crashes).toHaveLength(25);
  for (let quarter = 0; quarter < 4; quarter++) {
    const inside = crashes.filter((id) => Math.floor((Number(id.slice(6)) - 1) / 25) === quarter);
    expect(inside.length).toBeGreaterThanOrEqual(6);
  }
  expect(faultKinds).toContain("crash");
});
