import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duration, formatAge, formatDuration } from "./duration.js";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe("parsing", () => {
  test.each([
    ["0", 0],
    ["0s", 0],
    ["250ms", 250],
    ["1.5s", 1500],
    ["0.3s", 300],
    [".5m", 30_000],
    ["1.s", 1000],
    ["12h", 12 * hour],
    ["1h30m", 90 * minute],
    ["2d", 2 * day],
    ["1w", 7 * day],
    ["1us", 0.001],
    ["1µs", 0.001],
    ["1μs", 0.001],
    ["1ns", 0.000001],
    ["1h1h", 2 * hour],
    [250, 250],
    [0, 0],
  ])("%j is %d ms", (value, milliseconds) => {
    expect(duration(value)).toBe(milliseconds);
  });

  test.each(["", "5", "h", "1x", "1 h", "1h ", "1H", "1.5.5s", "+1s", "1e3s", "1hm", "1h-2m", "constructor"])(
    "%j is refused, and what is allowed is said",
    (text) => {
      expect(() => duration(text)).toThrow(
        /^invalid duration .*: use numbers with units, such as "250ms".*\(units: ns, us, ms, s, m, h, d, w\)/,
      );
    },
  );

  test.each([
    ["-1s", 'invalid duration "-1s": must not be negative'],
    [-1, "invalid duration -1: use 0 or more milliseconds"],
    [NaN, "invalid duration NaN"],
    [Infinity, "invalid duration Infinity"],
    [`${"9".repeat(400)}h`, "too long"],
  ])("rejects %s", (value, message) => {
    expect(() => duration(value)).toThrow(message);
  });
});

describe("formatting", () => {
  test.each([
    [0, "0s"],
    [250, "250ms"],
    [1500, "1.5s"],
    [90 * minute, "1h30m"],
    [90_500, "1m30.5s"],
    [12 * hour, "12h"],
    [2 * day, "2d"],
    [day + minute, "1d1m"],
    [0.25, "250us"],
    [0.000001, "1ns"],
    [1.5, "1.5ms"],
    [100 * second, "1m40s"],
    [10 * second, "10s"],
  ])("%d ms is %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test.each([-1, NaN, Infinity])("rejects %d", (milliseconds) => {
    expect(() => formatDuration(milliseconds)).toThrow(/use 0 or more milliseconds/);
  });

  test("round-trips", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(1_000_000), (milliseconds, nanoseconds) => {
        expect(duration(formatDuration(milliseconds))).toBe(milliseconds);
        expect(duration(formatDuration(nanoseconds / 1e6))).toBe(nanoseconds / 1e6);
      }),
    );
  });
});

describe("formatAge", () => {
  const year = 365 * day;
  test.each([
    [-2 * second, "<invalid>"],
    [NaN, "<invalid>"],
    [-2 * second + 1, "0s"],
    [0, "0s"],
    [second - 1, "0s"],
    [47 * second, "47s"],
    [2 * minute - 1, "119s"],
    [2 * minute, "2m"],
    [190 * second, "3m10s"],
    [10 * minute - 1, "9m59s"],
    [10 * minute + second, "10m"],
    [3 * hour - 1, "179m"],
    [3 * hour, "3h"],
    [3 * hour + minute, "3h1m"],
    [8 * hour - 1, "7h59m"],
    [8 * hour + 59 * minute, "8h"],
    [2 * day - 1, "47h"],
    [2 * day, "2d"],
    [5 * day + 3 * hour, "5d3h"],
    [8 * day - 1, "7d23h"],
    [8 * day + 23 * hour, "8d"],
    [2 * year - 1, "729d"],
    [2 * year, "2y"],
    [2 * year + 23 * hour, "2y"],
    [2 * year + 10 * day, "2y10d"],
    [8 * year - 1, "7y364d"],
    [8 * year + 364 * day, "8y"],
  ])("%d ms is %s", (milliseconds, text) => {
    expect(formatAge(milliseconds)).toBe(text);
  });
});
