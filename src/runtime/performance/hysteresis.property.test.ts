import fc from "fast-check";
import { expect, test } from "vitest";
import { Hysteresis } from "./hysteresis.js";

const options = { limit: 100, raiseAfter: 30_000, resolveBelow: 0.9, resolveAfter: 60_000 };

interface Reading {
  readonly at: number;
  readonly value: number | undefined;
}

/** Readings over time; many of them close to the limit, where flapping would show. */
const readings = fc
  .array(
    fc.record({
      after: fc.constantFrom(0, 1000, 5000, 10_000, 30_000, 70_000),
      value: fc.oneof(
        fc.constantFrom(undefined, 0, 89.9, 90, 95, 100, 100.1, 500),
        fc.double({ min: 0, max: 200, noNaN: true }),
      ),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let at = 0;
    return steps.map(({ after, value }): Reading => ({ at: (at += after), value }));
  });

const isAbove = ({ value }: Reading): boolean => value !== undefined && value > options.limit;
const isBelow = ({ value }: Reading): boolean => value === undefined || value < 90;

/** Length of time for which all readings up to an index meet a condition. */
function heldFor(all: readonly Reading[], index: number, holds: (reading: Reading) => boolean): number {
  let first = index;
  while (first > 0 && holds(all[first - 1] ?? expect.fail())) first--;
  return (all[index]?.at ?? 0) - (all[first]?.at ?? 0);
}

test("changes its state only after all readings of the time pointed to the other one, and in turns", () => {
  fc.assert(
    fc.property(readings, (all) => {
      const hysteresis = new Hysteresis(options);
      let exceeded = false;
      for (const [index, reading] of all.entries()) {
        const transition = hysteresis.add(reading.value, reading.at);
        if (transition === "raised") {
          expect(exceeded).toBe(false);
          expect(isAbove(reading)).toBe(true);
          expect(heldFor(all, index, isAbove)).toBeGreaterThanOrEqual(options.raiseAfter);
        } else if (transition === "resolved") {
          expect(exceeded).toBe(true);
          expect(isBelow(reading)).toBe(true);
          expect(heldFor(all, index, isBelow)).toBeGreaterThanOrEqual(options.resolveAfter);
        }
        if (transition !== undefined) exceeded = transition === "raised";
        expect(hysteresis.isExceeded).toBe(exceeded);
      }
    }),
  );
});

test("whatever happened before, it follows readings that last long enough", () => {
  fc.assert(
    fc.property(readings, (all) => {
      const hysteresis = new Hysteresis(options);
      for (const { value, at } of all) hysteresis.add(value, at);
      let at = all.at(-1)?.at ?? 0;
      for (const step of [1000, options.raiseAfter]) hysteresis.add(200, (at += step));
      expect(hysteresis.isExceeded).toBe(true);
      for (const step of [1000, options.resolveAfter]) hysteresis.add(undefined, (at += step));
      expect(hysteresis.isExceeded).toBe(false);
    }),
  );
});

test("a value between the two bounds changes nothing", () => {
  fc.assert(
    fc.property(readings, fc.array(fc.double({ min: 90, max: 100, noNaN: true })), (all, between) => {
      const hysteresis = new Hysteresis(options);
      for (const { value, at } of all) hysteresis.add(value, at);
      const before = hysteresis.isExceeded;
      let at = all.at(-1)?.at ?? 0;
      for (const value of between) expect(hysteresis.add(value, (at += 100_000))).toBeUndefined();
      expect(hysteresis.isExceeded).toBe(before);
    }),
  );
});

test("a clock that is set back starts the time anew", () => {
  const hysteresis = new Hysteresis(options);
  hysteresis.add(200, 1_000_000);
  expect(hysteresis.add(200, 0)).toBeUndefined();
  expect(hysteresis.add(200, 29_999)).toBeUndefined();
  expect(hysteresis.add(200, 30_000)).toBe("raised");
});
