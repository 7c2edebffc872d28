import fc from "fast-check";
import { expect, test } from "vitest";
import { eventPattern } from "./event-pattern.js";
import { PatternIndex } from "./pattern-index.js";

const name = fc.constantFrom("a", "b", "c");
const part = fc.oneof(name, fc.constant("*"), fc.constant("**"));
const dotted = (each: fc.Arbitrary<string>) =>
  fc.array(each, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("."));

test("finds what the patterns find one by one, also after some were deleted", () => {
  const actions = fc.array(fc.record({ pattern: dotted(part), value: fc.nat(3), add: fc.boolean() }));
  fc.assert(
    fc.property(actions, fc.array(dotted(name), { minLength: 1 }), (all, types) => {
      const index = new PatternIndex<number>();
      const model = new Map<string, { pattern: string; value: number }>();
      for (const { pattern, value, add } of all) {
        const key = `${pattern} ${value}`;
        if (add) {
          index.add(pattern, value);
          model.set(key, { pattern, value });
        } else {
          index.delete(pattern, value);
          model.delete(key);
        }
        for (const type of types) {
          const expected = [...model.values()].filter((each) => eventPattern(each.pattern)(type));
          expect(new Set(index.match(type))).toEqual(new Set(expected.map((each) => each.value)));
          expect(index.match(type).length).toBe(new Set(index.match(type)).size);
          const prefix = type.split(".").slice(0, -1).join(".");
          if (prefix !== "" && expected.length > 0) expect(index.mayMatchBelow(prefix)).toBe(true);
        }
      }
      expect(index.size).toBe(new Set([...model.values()].map(({ pattern }) => pattern)).size);
    }),
  );
});

test("knows which types cannot match by their beginning", () => {
  const may = (pattern: string, prefix: string): boolean => {
    const index = new PatternIndex<number>();
    index.add(pattern, 1);
    return index.mayMatchBelow(prefix);
  };
  expect(may("io.example.device.**", "io.example.device")).toBe(true);
  expect(may("**.created", "io.example.device")).toBe(true);
  expect(may("*.created", "site")).toBe(true);
  expect(may("*.created", "io.example.site")).toBe(false);
  expect(may("io.example", "io.example.device")).toBe(false);
  expect(may("dev.fettle.run.finished", "io.example.device")).toBe(false);
});

test("patterns that match in very many ways take no longer than others", () => {
  const index = new PatternIndex<number>();
  index.add(Array.from({ length: 80 }, () => "**").join("."), 1);
  index.add(Array.from({ length: 40 }, () => "**.a").join("."), 2);
  index.add(Array.from({ length: 40 }, () => "**.a").join(".") + ".b", 3);
  expect(index.match(Array.from({ length: 100 }, () => "a").join("."))).toEqual([1, 2]);
});
