import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isCanonicalTime, parseGoTime, writeTime } from "./go-time.js";

const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 20, maxLength: 20 });

/** Texts that look like times and may have a 13th month. */
const text = digits.map((digit) => {
  const d = (index: number): string => String(digit[index] ?? 0);
  const date = `${d(0)}${d(1)}${d(2)}${d(3)}-${(digit[4] ?? 0) % 2}${d(5)}-${(digit[6] ?? 0) % 4}${d(7)}`;
  const time = `${(digit[8] ?? 0) % 3}${d(9)}:${(digit[10] ?? 0) % 7}${d(11)}:${(digit[12] ?? 0) % 7}${d(13)}`;
  return { date, time, micros: digit.slice(14).join("") };
});

test("a canonical time is written unchanged", () => {
  fc.assert(
    fc.property(text, fc.boolean(), ({ date, time, micros }, micro) => {
      const whole = `${date}T${time}${micro ? `.${micros}` : ""}Z`;
      if (!isCanonicalTime(whole, micro)) return;
      const parsed = parseGoTime(whole, micro);
      expect("error" in parsed ? parsed.error : writeTime(parsed.seconds, parsed.micros, micro)).toBe(whole);
    }),
    { numRuns: 5000 },
  );
  expect(isCanonicalTime("2026-01-31T09:30:15Z", false)).toBe(true);
  expect(isCanonicalTime("2026-01-31T09:30:15.123456Z", true)).toBe(true);
});

test("January 1 of the year 1 is the zero time", () => {
  const parsed = parseGoTime("0001-01-01T00:00:00Z", false);
  expect("error" in parsed ? parsed.error : writeTime(parsed.seconds, parsed.micros, false)).toBeNull();
});

test("a year without four digits is rejected", () => {
  expect(parseGoTime("9999-12-31T23:59:59-01:00", false)).toEqual({
    error: 'parsing time "9999-12-31T23:59:59-01:00": year outside of range [0,9999]',
  });
});
