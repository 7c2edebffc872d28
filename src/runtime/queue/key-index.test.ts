import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyIndex, none } from "./key-index.js";

/** More than a Map is used for, and enough to make the table grow. */
const many = 150_000;

function filled(count: number): { readonly keys: (string | undefined)[]; readonly index: KeyIndex } {
  const keys = Array.from(
    { length: count },
    (_, slot): string | undefined => `namespace-${slot % 7}/name-${slot}`,
  );
  const index = new KeyIndex(keys);
  for (const [slot, key] of keys.entries()) index.add(key ?? "", slot);
  return { keys, index };
}

test.each([100, 40_000, many])("finds each of %i keys, and no other", (count) => {
  const { keys, index } = filled(count);
  const wrong = keys.filter((key, slot) => index.find(key ?? "") !== slot);
  expect(wrong).toEqual([]);
  expect(index.find("namespace-1/name-0")).toBe(none);
  expect(index.find("")).toBe(none);
});

test("keys that go leave the others where they can be found", () => {
  const { keys, index } = filled(many);
  const isGone = (slot: number): boolean => slot % 3 !== 1;
  for (const [slot, key] of keys.entries()) if (isGone(slot)) index.delete(key ?? "");
  const wrong = keys.filter((key, slot) => index.find(key ?? "") !== (isGone(slot) ? none : slot));
  expect(wrong).toEqual([]);
});

test("does what a Map does, whatever comes and goes", () => {
  const command = fc.record({ number: fc.nat(many + 500), add: fc.boolean() });
  const { keys, index } = filled(many);
  const known = new Map(keys.map((key, slot) => [key ?? "", slot]));
  const free: number[] = [];
  fc.assert(
    fc.property(fc.array(command, { maxLength: 500, size: "max" }), (commands) => {
      for (const { number, add } of commands) {
        const key = `namespace-${number % 7}/name-${number}`;
        const slot = known.get(key);
        expect(index.find(key)).toBe(slot ?? none);
        if (add && slot === undefined) {
          const place = free.pop() ?? keys.length;
          keys[place] = key;
          known.set(key, place);
          index.add(key, place);
        } else if (!add && slot !== undefined) {
          index.delete(key);
          known.delete(key);
          keys[slot] = undefined;
          free.push(slot);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test("keys of the same end or beginning do not fall onto each other", () => {
  const names = Array.from({ length: many }, (_, slot) => `${slot}/default`);
  const index = new KeyIndex(names);
  for (const [slot, key] of names.entries()) index.add(key, slot);
  expect(names.every((key, slot) => index.find(key) === slot)).toBe(true);
});
