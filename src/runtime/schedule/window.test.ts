import fc from "fast-check";
import { expect, test } from "vitest";
import { window, type Window } from "./window.js";

const hour = 3_600_000;
const at = (time: string): number => Date.parse(time);

function asText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);
}

test("a window is open from its opening until just before its end", () => {
  const nights = window({ cron: "0 2 * * *", duration: "2h" });
  expect(nights.isOpen(at("2026-01-01T01:59:59.999Z"))).toBe(false);
  expect(nights.isOpen(at("2026-01-01T02:00:00Z"))).toBe(true);
  expect(nights.isOpen(at("2026-01-01T03:59:59.999Z"))).toBe(true);
  expect(nights.isOpen(at("2026-01-01T04:00:00Z"))).toBe(false);
});

test("the next opening is now when it is open", () => {
  const nights = window({ cron: "0 2 * * *", duration: "2h" });
  const now = at("2026-01-01T03:00:00Z");
  expect(nights.nextOpening(now)).toBe(now);
  expect(asText(nights.closes(now))).toBe("2026-01-01T04:00");
  expect(asText(nights.nextOpening(at("2026-01-01T04:00:00Z")))).toBe("2026-01-02T02:00");
  expect(nights.closes(at("2026-01-01T04:00:00Z"))).toBeUndefined();
});

test("answers do not depend on what was asked before, also when time goes back", () => {
  const nights = window({ start: "02:00", duration: "2h" });
  const times = [
    "2026-01-03T03:00:00Z",
    "2026-01-01T03:00:00Z",
    "2026-01-02T12:00:00Z",
    "2026-01-02T01:00:00Z",
  ];
  expect(times.map((time) => nights.isOpen(at(time)))).toEqual([true, true, false, false]);
  expect(asText(nights.nextOpening(at("2026-01-01T01:00:00Z")))).toBe("2026-01-01T02:00");
});

test("a time of day can be limited to days and may reach into the next", () => {
  const weekend = window({ start: "22:30", days: ["sat"], duration: "4h", timeZone: "America/New_York" });
  const opening = weekend.nextOpening(at("2026-01-01T00:00:00Z"));
  expect(asText(opening)).toBe("2026-01-04T03:30");
  expect(asText(weekend.closes(opening))).toBe("2026-01-04T07:30");
});

test("it is open for an hour when nothing is said", () => {
  const opening = at("2026-01-01T02:00:00Z");
  expect(window({ start: "2:00" }).closes(opening)).toBe(opening + hour);
});

test("its length is time that passes, whatever clocks do meanwhile", () => {
  const berlin = window({ start: "01:00", duration: "3h", timeZone: "Europe/Berlin" });
  const spring = berlin.nextOpening(at("2025-03-29T12:00:00Z"));
  expect([asText(spring), asText(berlin.closes(spring))]).toEqual(["2025-03-30T00:00", "2025-03-30T03:00"]);
  const autumn = berlin.nextOpening(at("2025-10-25T12:00:00Z"));
  expect([asText(autumn), asText(berlin.closes(autumn))]).toEqual(["2025-10-25T23:00", "2025-10-26T02:00"]);
});

test("it opens every day of the year exactly once, also when its opening is skipped or comes twice", () => {
  const berlin = window({ start: "02:30", duration: "1h", timeZone: "Europe/Berlin" });
  let openings = 0;
  for (let now = at("2025-01-01T00:00:00Z"); ; openings++) {
    now = berlin.nextOpening(now);
    if (now >= at("2026-01-01T00:00:00Z")) break;
    now = berlin.closes(now) ?? Number.NaN;
  }
  expect(openings).toBe(365);
});

test("openings that touch are one", () => {
  const mornings = window({ cron: "0 8-11 * * *", duration: "1h" });
  expect(asText(mornings.closes(at("2026-01-01T08:30:00Z")))).toBe("2026-01-01T12:00");
  const overlapping = window({ cron: "0,30 8 * * *", duration: "1h" });
  expect(asText(overlapping.closes(at("2026-01-01T08:45:00Z")))).toBe("2026-01-01T09:30");
});

test("a window that is always open answers with a moment at which it still is", () => {
  const always = window({ cron: "* * * * *", duration: "1m" });
  const now = at("2026-01-01T00:00:00Z");
  const later = always.closes(now) ?? Number.NaN;
  expect(later).toBeGreaterThan(now);
  expect(always.isOpen(later)).toBe(true);
});

test("opening and closing agree with being open", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];
  const year = { min: at("2025-01-01T00:00:00Z"), max: at("2026-01-01T00:00:00Z") };
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 1, max: 30 * 60 }),
      fc.integer(year),
      (timeZone, start, minutes, now) => {
        const make = (): Window => window({ start: `${start}:15`, duration: `${minutes}m`, timeZone });
        const opening = make().nextOpening(now);
        expect(make().isOpen(opening)).toBe(true);
        expect(make().isOpen(now)).toBe(opening === now);
        if (opening > now) expect(make().isOpen(opening - 1)).toBe(false);
        const end = make().closes(opening);
        expect(make().isOpen((end ?? Number.NaN) - 1)).toBe(true);
        // Longer than the shortest day: openings touch, and a window may be open all year.
        if (minutes < 23 * 60) expect(make().isOpen(end ?? Number.NaN)).toBe(false);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  [{ start: "25:00" }, /is not a time of day/],
  [{ start: "2am" }, /is not a time of day/],
  [{ start: "02:00", days: [] }, /never opens/],
  [{ cron: "0 2 * * *", duration: 0 }, /give it a duration/],
] as const)("%j is refused", (options, message) => {
  expect(() => window(options)).toThrow(message);
});
