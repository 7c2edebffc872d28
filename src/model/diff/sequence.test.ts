import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commonSubsequence, risingSubsequence } from "./sequence.js";

const numbers = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 });

describe("longest common subsequence", () => {
  test("is common, rising and of maximum length", () => {
    fc.assert(
      fc.property(numbers, numbers, (from, to) => {
        const matches = commonSubsequence(from, to, Infinity) ?? [];
        expect(matches.map(([a]) => from[a])).toEqual(matches.map(([, b]) => to[b]));
        for (const [index, [a, b]] of matches.entries()) {
          const [previousA, previousB] = matches[index - 1] ?? [-1, -1];
          expect(a).toBeGreaterThan(previousA);
          expect(b).toBeGreaterThan(previousB);
        }
        expect(matches.length).toBe(longest(from, to));
      }),
      { numRuns: 2000 },
    );
  });

  test("returns undefined if there are too many differences", () => {
    expect(commonSubsequence([1, 2, 3], [4, 5, 6], 5)).toBeUndefined();
    expect(commonSubsequence([1, 2, 3], [4, 5, 6], 6)).toEqual([]);
  });

  test("handles huge sequences with few differences", () => {
    const from = Array.from({ length: 200_000 }, (_, index) => index);
    const to = from.toSpliced(150_000, 1).toSpliced(50_000, 0, -1);
    expect(commonSubsequence(from, to, 10)).toHaveLength(199_999);
  });
});

describe("longest rising subsequence", () => {
  test("is rising and of maximum length", () => {
    const values = fc.uniqueArray(fc.integer({ min: -3, max: 20 }), { maxLength: 12 });
    fc.assert(
      fc.property(values, (values) => {
        const rising = risingSubsequence(values).map((position) => values[position] ?? -1);
        const present = values.filter((value) => value >= 0);
        expect(rising).toEqual(rising.toSorted((a, b) => a - b));
        expect(rising.length).toBe(
          longest(
            present,
            present.toSorted((a, b) => a - b),
          ),
        );
      }),
    );
  });
});

/** Length of the longest common subsequence, the slow and obvious way. */
function longest(from: readonly number[], to: readonly number[]): number {
  let previous = to.map(() => 0);
  for (const item of from) {
    const row: number[] = [];
    for (const [index, other] of to.entries()) {
      const diagonal = previous[index - 1] ?? 0;
      row.push(item === other ? diagonal + 1 : Math.max(previous[index] ?? 0, row[index - 1] ?? 0));
    }
    previous = row;
  }
  return previous.at(-1) ?? 0;
}
