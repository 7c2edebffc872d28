import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimiter, exponentialBackoff, fixedDelay, maxOf, tokenBucket } from "./rate-limiter.js";

describe("exponential backoff", () => {
  test("doubles from the base up to the max", () => {
    const limiter = exponentialBackoff("1s", "5m");
    const delays = [1, 2, 3, 8, 9, 10, 5000].map((failures) => limiter.delay("a", failures, 0));
    expect(delays).toEqual([1000, 2000, 4000, 128_000, 256_000, 300_000, 300_000]);
  });

  test("refuses what cannot grow", () => {
    expect(() => exponentialBackoff(0, "1s")).toThrow(/give a base above 0/);
    expect(() => exponentialBackoff("2s", "1s")).toThrow(/ends before it begins/);
  });
});

describe("a token bucket", () => {
  test("lets a burst through, then one after another", () => {
    const limiter = tokenBucket({ perSecond: 10, burst: 3 });
    const at = (now: number): number => limiter.delay("a", 1, now);
    expect([at(0), at(0), at(0), at(0), at(0)]).toEqual([0, 0, 0, 100, 200]);
    // What is reserved is paid back first.
    expect(at(200)).toBe(100);
    expect([at(10_000), at(10_000), at(10_000), at(10_000)]).toEqual([0, 0, 0, 100]);
  });

  test("survives a clock that is set back", () => {
    const limiter = tokenBucket({ perSecond: 1, burst: 1 });
    expect([limiter.delay("a", 1, 5000), limiter.delay("a", 1, 1000), limiter.delay("a", 1, 2000)]).toEqual([
      0, 1000, 1000,
    ]);
  });

  test("never lets more through in any span of time than the burst and what flowed in", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(500), { maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 10 }),
        (steps, perSecond, burst) => {
          const limiter = tokenBucket({ perSecond, burst });
          let now = 0;
          const tries = steps.map((step) => (now += step) + limiter.delay("a", 1, now)).sort((a, b) => a - b);
          for (const [first, from] of tries.entries()) {
            for (const [last, to] of tries.entries()) {
              if (last < first) continue;
              const flowed = ((to - from) * perSecond) / 1000;
              expect(last - first + 1).toBeLessThanOrEqual(burst + flowed + 1e-6 * tries.length);
            }
          }
        },
      ),
    );
  });

  test.each([
    [{ perSecond: 0, burst: 1 }, /cannot fill at 0 per second/],
    [{ perSecond: NaN, burst: 1 }, /cannot fill at NaN/],
    [{ perSecond: 1, burst: 0 }, /cannot hold 0: give a burst of 1 or more/],
  ])("refuses %j", (rate, message) => {
    expect(() => tokenBucket(rate)).toThrow(message);
  });
});

test("the longest delay of several counts, and each of them is asked every time", () => {
  const limiter = maxOf(
    fixedDelay("50ms"),
    tokenBucket({ perSecond: 10, burst: 1 }),
    exponentialBackoff(1, 1000),
  );
  expect([1, 2, 3, 9].map((failures) => limiter.delay("a", failures, 0))).toEqual([50, 100, 200, 300]);
  expect(maxOf().delay("a", 1, 0)).toBe(0);
});

test("by default a key waits 5ms first, and many together wait for the bucket", () => {
  const limiter = defaultLimiter();
  expect(limiter.delay("a", 1, 0)).toBe(5);
  expect(limiter.delay("a", 30, 0)).toBe(1_000_000);
  for (let i = 0; i < 98; i++) limiter.delay(`${i}`, 1, 0);
  expect(limiter.delay("b", 1, 0)).toBe(100);
});
