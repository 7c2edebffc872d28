import { expect, test } from "vitest";
import { cron } from "./cron.js";

function times(expression: string, timeZone: string, after: string, count: number): string[] {
  const cadence = cron(expression, timeZone);
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count;) {
    at = cadence.next(at);
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

test("a time is always later than the one asked about", () => {
  expect(times("0 2 * * *", "UTC", "2026-01-01T01:59:59.999Z", 1)).toEqual(["2026-01-01T02:00Z"]);
  expect(times("0 2 * * *", "UTC", "2026-01-01T02:00:00.000Z", 1)).toEqual(["2026-01-02T02:00Z"]);
  expect(times("0 2 * * *", "UTC", "2026-01-01T02:00:00.001Z", 1)).toEqual(["2026-01-02T02:00Z"]);
});

test("times are UTC unless a time zone is named", () => {
  expect(cron("0 2 * * *").next(Date.parse("2026-07-01T00:00:00Z"))).toBe(Date.parse("2026-07-01T02:00:00Z"));
  expect(times("0 2 * * *", "Asia/Kolkata", "2026-07-01T00:00:00Z", 1)).toEqual(["2026-07-01T20:30Z"]);
});

test("a time of day that is skipped in spring runs right after the gap, and only that day", () => {
  expect(times("30 2 * * *", "Europe/Berlin", "2025-03-28T12:00:00Z", 3)).toEqual([
    "2025-03-29T01:30Z",
    "2025-03-30T01:00Z",
    "2025-03-31T00:30Z",
  ]);
});

test("a time of day that comes twice in autumn runs the first time only", () => {
  expect(times("30 2 * * *", "Europe/Berlin", "2025-10-25T12:00:00Z", 2)).toEqual([
    "2025-10-26T00:30Z",
    "2025-10-27T01:30Z",
  ]);
  expect(times("30 1 * * *", "America/New_York", "2025-11-01T12:00:00Z", 2)).toEqual([
    "2025-11-02T05:30Z",
    "2025-11-03T06:30Z",
  ]);
});

test("what repeats within a day keeps its pace when clocks change", () => {
  expect(times("*/30 * * * *", "Europe/Berlin", "2025-03-30T00:10:00Z", 4)).toEqual([
    "2025-03-30T00:30Z",
    "2025-03-30T01:00Z",
    "2025-03-30T01:30Z",
    "2025-03-30T02:00Z",
  ]);
  expect(times("*/30 * * * *", "Europe/Berlin", "2025-10-25T23:40:00Z", 5)).toEqual([
    "2025-10-26T00:00Z",
    "2025-10-26T00:30Z",
    "2025-10-26T01:00Z",
    "2025-10-26T01:30Z",
    "2025-10-26T02:00Z",
  ]);
});

test("a change of clocks by half an hour is one too", () => {
  // Lord Howe Island: 02:00 becomes 02:30 in October, 02:00 becomes 01:30 in April.
  expect(times("15 2 * * *", "Australia/Lord_Howe", "2025-10-04T12:00:00Z", 2)).toEqual([
    "2025-10-04T15:30Z",
    "2025-10-05T15:15Z",
  ]);
  expect(times("45 1 * * *", "Australia/Lord_Howe", "2025-04-05T12:00:00Z", 2)).toEqual([
    "2025-04-05T14:45Z",
    "2025-04-06T15:15Z",
  ]);
});

test("seconds, names, nicknames and steps with a start are understood", () => {
  expect(cron("*/10 * * * * *").next(0)).toBe(10_000);
  expect(times("0 9 * jan mon-fri", "UTC", "2026-01-02T12:00:00Z", 1)).toEqual(["2026-01-05T09:00Z"]);
  expect(times("@daily", "UTC", "2026-01-01T12:00:00Z", 1)).toEqual(["2026-01-02T00:00Z"]);
  expect(times("5/20 * * * *", "UTC", "2026-01-01T00:00:00Z", 3)).toEqual([
    "2026-01-01T00:05Z",
    "2026-01-01T00:25Z",
    "2026-01-01T00:45Z",
  ]);
  expect(times("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", 1)).toEqual(["2028-02-29T00:00Z"]);
});

test.each(["", "every day", "61 * * * *", "0 2 * *", "* * * * * * 2027", "2026-01-01T00:00:00", "@reboot"])(
  "%j is refused, and the error shows how to write one",
  (expression) => {
    expect(() => cron(expression)).toThrow(/is not a cron expression .*"0 2 \* \* \*"/);
  },
);

test("an expression that never occurs is refused when it is made, not waited for", () => {
  expect(() => cron("0 2 30 2 *")).toThrow(/never occurs/);
});

test("an unknown time zone is refused", () => {
  expect(() => cron("0 2 * * *", "Mars/Olympus")).toThrow(/"Mars\/Olympus" is not a known time zone/);
});
