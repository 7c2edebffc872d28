import fc from "fast-check";
import { expect, test } from "vitest";
import { countResult, initialHealth, type AddressHealth } from "./hysteresis.js";

const thresholds = { healthyThreshold: 2, unhealthyThreshold: 3 };

const letters = { healthy: "h", unhealthy: "u", unknown: "?" };

/** Health after each result: `+` is a success, `-` a failure. */
function healthAfter(results: string, start?: AddressHealth): string {
  let state = initialHealth(start);
  return results
    .split("")
    .map((result) => {
      state = countResult(state, result === "+", thresholds);
      return letters[state.health];
    })
    .join("");
}

test.each([
  ["unknown", "+", "h"],
  ["unknown", "---", "??u"],
  ["unknown", "--+", "??h"],
  ["healthy", "--+--+---", "hhhhhhhhu"],
  ["unhealthy", "+-+-++", "uuuuuh"],
  ["healthy", "+++", "hhh"],
] as const)("%s with the results %s", (start, results, expected) => {
  expect(healthAfter(results, start)).toBe(expected);
});

const anyThresholds = fc.record({
  healthyThreshold: fc.integer({ min: 1, max: 6 }),
  unhealthyThreshold: fc.integer({ min: 1, max: 6 }),
});
const anyStart = fc.constantFrom<AddressHealth>("unknown", "healthy", "unhealthy");

test("the health changes only after a threshold of equal results in a row", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 60 }),
      anyThresholds,
      anyStart,
      (results, limits, start) => {
        let state = initialHealth(start);
        for (const [index, ok] of results.entries()) {
          const next = countResult(state, ok, limits);
          if (next.health !== state.health && !(state.health === "unknown" && ok)) {
            const threshold = ok ? limits.healthyThreshold : limits.unhealthyThreshold;
            expect(index + 1).toBeGreaterThanOrEqual(threshold);
            expect(results.slice(index + 1 - threshold, index + 1)).toEqual(Array(threshold).fill(ok));
          }
          expect(next.contrary).toBeLessThan(ok ? limits.healthyThreshold : limits.unhealthyThreshold);
          state = next;
        }
      },
    ),
  );
});

test("the last results decide in the end, whatever came before", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 30 }),
      fc.boolean(),
      anyThresholds,
      anyStart,
      (earlier, last, limits, start) => {
        const threshold = last ? limits.healthyThreshold : limits.unhealthyThreshold;
        const results = [...earlier, ...Array<boolean>(threshold).fill(last)];
        const end = results.reduce((state, ok) => countResult(state, ok, limits), initialHealth(start));
        expect(end).toEqual({ health: last ? "healthy" : "unhealthy", contrary: 0 });
      },
    ),
  );
});
