import fc from "fast-check";
import { expect, test } from "vitest";
import { splitShares } from "./split-shares.js";

test("shares are percentages, and the last one is the rest", () => {
  expect(splitShares([1, 1])).toEqual(["50.00%", "*"]);
  expect(splitShares([1, 1, 1])).toEqual(["33.34%", "33.33%", "*"]);
  expect(splitShares([90, 10])).toEqual(["90.00%", "*"]);
  expect(splitShares([1])).toEqual(["*"]);
});

test("a weight that is too small for a share gets none", () => {
  expect(splitShares([1_000_000, 1])).toEqual(["*", undefined]);
  expect(splitShares([1, 1_000_000])).toEqual([undefined, "*"]);
});

test("each share is exact to 0.01 %, and all are 100 %", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 16 }),
      (weights) => {
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const shares = splitShares(weights);
        const written = shares.map((share) =>
          share === undefined || share === "*" ? 0 : Number.parseFloat(share),
        );
        const rest = 100 - written.reduce((sum, share) => sum + share, 0);
        for (const [position, weight] of weights.entries()) {
          const share = shares[position] === "*" ? rest : (written[position] ?? 0);
          expect(Math.abs(share - (weight / total) * 100)).toBeLessThan(0.010_001);
        }
        expect(shares.filter((share) => share === "*")).toHaveLength(1);
      },
    ),
  );
});
