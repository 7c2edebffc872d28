import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimiter, exponentialBackoff, fixedDelay, maxOf, tokenBucket } from "./rate-limiter.js";

describe("exponential backoff", () => {
  test("doubles from the base up to the max", () => {
    const limiter = exponentialBackoff("1s", "5m");
    const delays = [1, 2, 3, 8, 9, 10, 5000].map((failures) => limiter.delay("a", failures, 0));
    expect(delays).toEqual([1000, 2000, 4000, 128_000, 256_000, 300_000, 300_000]);
  });

  test("grows by another factor", () => {
    const limiter = exponentialBackoff("1s", "1m", 3);
    expect([1, 2, 3, 9].map((failures) => limiter.delay("a", failures, 0))).toEqual([
      1000, 3000, 9000, 60_000,
    ]);
    expect(() => exponentialBackoff("1s", "1m", 0.5)).toThrow(/cannot grow by the factor 0.5/);
  });

  test("rejects a base of 0 and a max below the base", () => {
    expect(() => exponentialBackoff(0, "1s")).toThrow(/give a base above 0/);
    expect(() => exponentialBackoff("2s", "1s")).toThrow(/ends before it begins/);
  });
});

describe("a token bucket", () => {
  test("allows a burst, then one retry after another", () => {
    const limiter = tokenBucket({ perSecond: 10, burst: 3 });
    const at = (now: number): number => limiter.delay("a", 1, now);
    expect([at(0), at(0), at(0), at(0), at(0)]).toEqual([0, 0, 0, 100, 200]);
    // What is reserved is paid back first.
    expect(at(200)).toBe(100);
    expect([at(10_000), at(10_000), at(10_000), at(10_000)]).toEqual([0, 0, 0, 100]);
  });

  test("neither adds nor removes tokens when the clock is set back", () => {
    const limiter = tokenBucket({ perSecond: 1, burst: 1 });
    expect([limiter.delay("a", 1, 5000), limiter.delay("a", 1, 1000), limiter.delay("a", 1, 2000)]).toEqual([
      0, 1000, 1000,
    ]);
  });

  test("never allows more than the burst and the refill in any span of time", () => {
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
  ])("rejects %j", (rate, message) => {
    expect(() => tokenBucket(rate)).toThrow(message);
  });
});

test("maxOf returns the longest delay, and calls every limiter each time", () => {
  const limiter = maxOf(
    fixedDelay("50ms"),
    tokenBucket({ perSecond: 10, burst: 1 }),
    exponentialBackoff(1, 1000),
  );
  expect([1, 2, 3, 9].map((failures) => limiter.delay("a", failures, 0))).toEqual([50, 100, 200, 300]);
  expect(maxOf().delay("a", 1, 0)).toBe(0);
});

test("the default limiter starts at 5ms per key, and delays many keys by its bucket", () => {
  const limiter = defaultLimiter();
  expect(limiter.delay("a", 1, 0)).toBe(5);
  expect(limiter.delay("a", 30, 0)).toBe(1_000_000);
  for (let i = 0; i < 98; i++) limiter.delay(`${i}`, 1, 0);
  expect(limiter.delay("b", 1, 0)).toBe(100);
});
