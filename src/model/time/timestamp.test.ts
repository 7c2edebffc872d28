import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMicroTime, formatTime, parseTime } from "./timestamp.js";

const start = Date.UTC(2026, 0, 1);

describe("formatting", () => {
  test.each([
    [start, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"],
    [start + 999.999, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.999999Z"],
    [start + 1500.25, "2026-01-01T00:00:01Z", "2026-01-01T00:00:01.500250Z"],
    [-1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999000Z"],
    [parseTime("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"],
  ])("%d", (milliseconds, time, microTime) => {
    expect(formatTime(milliseconds)).toBe(time);
    expect(formatMicroTime(milliseconds)).toBe(microTime);
  });

  test.each([NaN, Infinity, Date.UTC(10_000, 0, 1), parseTime("0000-01-01T00:00:00Z") - 1])(
    "%d cannot be written",
    (milliseconds) => {
      expect(() => formatTime(milliseconds)).toThrow(/only the years 0000 to 9999 can/);
      expect(() => formatMicroTime(milliseconds)).toThrow(RangeError);
    },
  );
});

describe("parsing", () => {
  test.each([
    ["2026-01-01T00:00:00Z", start],
    ["2026-01-01T01:30:00+01:30", start],
    ["2025-12-31T19:00:00-05:00", start],
    ["2026-01-01T00:00:00.5Z", start + 500],
    ["2026-01-01T00:00:00.123456Z", start + 123.456],
    ["2026-01-01T00:00:00.999999999Z", start + 999.999],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["0099-12-31T00:00:00Z", new Date(0).setUTCFullYear(99, 11, 31)],
  ])("%s", (text, milliseconds) => {
    expect(parseTime(text)).toBeCloseTo(milliseconds, 3);
  });

  test.each([
    ["", /write it as RFC 3339, such as 2026-01-31T09:30:00Z/],
    ["2026-01-01", /RFC 3339/],
    ["2026-01-01 00:00:00Z", /RFC 3339/],
    ["2026-01-01t00:00:00z", /RFC 3339/],
    ["2026-01-01T00:00:00", /RFC 3339/],
    ["2026-01-01T00:00:00.Z", /RFC 3339/],
    ["2026-01-01T00:00:00Z\n", /RFC 3339/],
    ["2026-1-1T00:00:00Z", /RFC 3339/],
    ["2026-13-01T00:00:00Z", /its month is 13, not 1 to 12/],
    ["2026-00-01T00:00:00Z", /its month is 0/],
    ["2026-02-29T00:00:00Z", /its month has no day 29/],
    ["2026-01-00T00:00:00Z", /its month has no day 0/],
    ["2026-01-01T24:00:00Z", /its hour is 24, not 0 to 23/],
    ["2026-01-01T00:60:00Z", /its minute is 60/],
    ["2026-01-01T00:00:60Z", /its second is 60/],
    ["2026-01-01T00:00:00+24:00", /its offset's hour is 24/],
    ["2026-01-01T00:00:00+00:60", /its offset's minute is 60/],
    ["x".repeat(100_000), /^"x{64}\.\.\." is not a time/],
  ])("rejects %.40s", (text, message) => {
    expect(() => parseTime(text)).toThrow(message);
  });
});

test("round-trips seconds and microseconds", () => {
  const seconds = fc.integer({
    min: Math.ceil(parseTime("0000-01-01T00:00:00Z") / 1000),
    max: 253_402_300_799,
  });
  fc.assert(
    fc.property(seconds, (second) => {
      expect(parseTime(formatTime(second * 1000))).toBe(second * 1000);
    }),
  );
  // Up to the year 2100 a number of milliseconds has room for microseconds.
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), fc.nat(999_999), (second, micro) => {
      const text = formatTime(second * 1000).replace("Z", `.${String(micro).padStart(6, "0")}Z`);
      expect(formatMicroTime(parseTime(text))).toBe(text);
    }),
  );
});
