import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeCommits, decodeOutcomes, encodeCommits, encodeOutcomes } from "./codec.js";
import type { CommitOutcome, WireMutation } from "./protocol.js";

const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const mutation: fc.Arbitrary<WireMutation> = fc.record({
  key: fc.string({ minLength: 1, unit: "grapheme" }),
  expect: fc.integer({ min: -1 }),
  value: fc.option(fc.uint8Array(), { nil: undefined }),
  expires: fc.option(whole, { nil: undefined }),
});

test("decodes commits as they were encoded", () => {
  fc.assert(
    fc.property(fc.array(fc.array(mutation, { minLength: 1 })), (commits) => {
      expect(decodeCommits(encodeCommits(commits, 7))).toEqual(commits);
    }),
  );
});

test("decodes outcomes as they were encoded", () => {
  const outcome: fc.Arbitrary<{ size: number; outcome: CommitOutcome }> = fc.oneof(
    fc.array(fc.tuple(whole, whole), { minLength: 1 }).chain((pairs) =>
      whole.map((revision) => ({
        size: pairs.length,
        outcome: {
          type: "committed" as const,
          revision,
          replaced: pairs.map(([replaced]) => replaced),
          created: pairs.map(([, created]) => created),
        },
      })),
    ),
    fc.record({
      size: fc.constant(3),
      outcome: fc.record({
        type: fc.constant("refused" as const),
        mutation: fc.nat({ max: 2 }),
        actual: whole,
      }),
    }),
    fc.record({
      size: fc.constant(2),
      outcome: fc.record({
        type: fc.constant("failed" as const),
        reason: fc.constantFrom("full", "damaged", "failed", "uncertain"),
        message: fc.string(),
      }),
    }),
  );
  fc.assert(
    fc.property(fc.array(outcome), (all) => {
      const outcomes = all.map((each) => each.outcome);
      const sizes = all.map((each) => each.size);
      expect(decodeOutcomes(encodeOutcomes(outcomes, 1), sizes)).toEqual(outcomes);
    }),
  );
});
