import fc from "fast-check";
import { expect, test } from "vitest";
import { PercentileWindow } from "./percentile-window.js";

test("percentiles are exact to one per cent", () => {
  const values = fc.array(fc.double({ min: 0.0001, max: 1e12, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  });
  fc.assert(
    fc.property(values, fc.constantFrom(0.5, 0.9, 0.99, 1), (all, share) => {
      const window = new PercentileWindow(60_000);
      for (const value of all) window.add(value, 0);
      const sorted = all.toSorted((one, other) => one - other);
      const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
      expect(Math.abs((window.percentile(share, 0) ?? NaN) / exact - 1)).toBeLessThan(0.01);
      expect(window.max(0)).toBe(sorted.at(-1));
    }),
  );
});

test("old values are forgotten, and none is no value", () => {
  const window = new PercentileWindow(60_000);
  expect([window.percentile(0.99, 0), window.max(0)]).toEqual([undefined, undefined]);
  window.add(500, 0);
  window.add(1, 45_000);
  expect(window.max(55_000)).toBe(500);
  expect(window.max(65_000)).toBe(1);
  expect(window.percentile(0.5, 65_000)).toBe(1);
  expect(window.max(200_000)).toBeUndefined();
  window.add(0, 300_000);
  expect(window.percentile(0.99, 300_000)).toBe(0);
});

test("a clock that is set back leaves no value in the future", () => {
  const window = new PercentileWindow(60_000);
  window.add(500, 10_000_000);
  window.add(1, 0);
  expect(window.max(0)).toBe(1);
});
