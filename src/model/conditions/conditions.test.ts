import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../time/virtual-clock.js";
import {
  type Condition,
  type ConditionUpdate,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./conditions.js";

const ready: ConditionUpdate = { type: "Ready", status: "True", reason: "Published", message: "3 pages" };

function clockAt(time: string): VirtualClock {
  return new VirtualClock(time);
}

const first = setCondition(undefined, { ...ready, observedGeneration: 1 }, clockAt("2026-01-01T00:00:00Z"));

describe("setCondition", () => {
  test("appends a new condition with the current time", () => {
    expect(first).toEqual([{ ...ready, observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" }]);
    const both = setCondition(
      first,
      { type: "Synced", status: "Unknown", reason: "Waiting" },
      clockAt("2026-01-02T00:00:00Z"),
    );
    expect(both.map(({ type }) => type)).toEqual(["Ready", "Synced"]);
    expect(both[0]).toBe(first[0]);
    expect(both[1]).toEqual({
      type: "Synced",
      status: "Unknown",
      reason: "Waiting",
      message: "",
      lastTransitionTime: "2026-01-02T00:00:00Z",
    });
  });

  test("returns the same list if nothing changes", () => {
    expect(setCondition(first, { ...ready, observedGeneration: 1 }, clockAt("2027-01-01T00:00:00Z"))).toBe(
      first,
    );
  });

  test.each<[Partial<ConditionUpdate>, string]>([
    [{ reason: "Other" }, "2026-01-01T00:00:00Z"],
    [{ message: "4 pages" }, "2026-01-01T00:00:00Z"],
    [{ observedGeneration: 2 }, "2026-01-01T00:00:00Z"],
    [{ status: "False" }, "2027-01-01T00:00:00Z"],
    [{ status: "Unknown", reason: "Other" }, "2027-01-01T00:00:00Z"],
  ])("updates lastTransitionTime only if the status changes: %j", (change, lastTransitionTime) => {
    const update = { ...ready, observedGeneration: 1, ...change };
    expect(setCondition(first, update, clockAt("2027-01-01T00:00:00Z"))).toEqual([
      { ...update, lastTransitionTime },
    ]);
  });

  test("replaces a condition in place without modifying the given list", () => {
    const update = fc.record({
      type: fc.constantFrom("A", "B", "C"),
      status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const),
      reason: fc.constantFrom("X", "Y"),
    });
    fc.assert(
      fc.property(fc.array(update), (updates) => {
        const clock = clockAt("2026-01-01T00:00:00Z");
        let list: readonly Condition[] = Object.freeze([]);
        for (const next of updates) {
          const before = list.map(({ type }) => type);
          list = Object.freeze(setCondition(list, next, clock));
          expect(list.slice(0, before.length).map(({ type }) => type)).toEqual(before);
          expect(findCondition(list, next.type)).toMatchObject(next);
        }
        expect(new Set(list.map(({ type }) => type)).size).toBe(list.length);
      }),
    );
  });
});

describe("isConditionTrue and isConditionFalse", () => {
  const list = setCondition(
    setCondition(first, { type: "Synced", status: "False", reason: "Behind" }, new VirtualClock()),
    { type: "Known", status: "Unknown", reason: "Starting" },
    new VirtualClock(),
  );

  test.each([
    ["Ready", true, false],
    ["Synced", false, true],
    ["Known", false, false],
    ["Missing", false, false],
    ["constructor", false, false],
  ])("%s", (type, isTrue, isFalse) => {
    expect(isConditionTrue(list, type)).toBe(isTrue);
    expect(isConditionFalse(list, type)).toBe(isFalse);
    expect(isConditionTrue(undefined, type)).toBe(false);
  });

  test("removeCondition", () => {
    expect(removeCondition(list, "Synced").map(({ type }) => type)).toEqual(["Ready", "Known"]);
    expect(removeCondition(list, "Missing")).toBe(list);
    expect(removeCondition(undefined, "Missing")).toEqual([]);
  });
});
