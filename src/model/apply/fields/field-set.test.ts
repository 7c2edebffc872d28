import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  difference,
  emptySet,
  equals,
  type FieldSet,
  hasField,
  intersection,
  isEmpty,
  leaves,
  type FieldSetPath,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
  unionOf,
} from "./field-set.js";
import { parseFieldsV1 } from "./fields-v1.js";
import { fieldElement, keyElement, valueElement } from "./path-element.js";

const element = fc.constantFrom(
  fieldElement("a"),
  fieldElement("b"),
  fieldElement("__proto__"),
  keyElement([["name", "x"]]),
  keyElement([["port", 80]]),
  keyElement([["port", 9]]),
  valueElement("v"),
  "i:0",
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

/** Reference implementation: the paths of a set as strings. */
function model(set: FieldSet): Set<string> {
  return new Set(pathsOf(set).map((path) => JSON.stringify(path)));
}

function isBelow(path: FieldSetPath, above: FieldSetPath): boolean {
  return above.length < path.length && above.every((element, index) => element === path[index]);
}

test("the union of many sets equals the unions of two after another", () => {
  const check = fc.property(fc.array(paths, { maxLength: 6 }), (many) => {
    const sets = many.map((some) => setOf(...some));
    const expected = sets.reduce((left, right) => union(left, right), emptySet);
    expect(JSON.stringify(unionOf(sets))).toBe(JSON.stringify(expected));
  });
  fc.assert(check, { numRuns: 500 });
});

describe("a set of fields", () => {
  test("contains the paths it was created from", () => {
    const check = fc.property(paths, path, (paths, other) => {
      const set = setOf(...paths);
      for (const path of paths) expect(hasField(set, path)).toBe(true);
      expect(hasField(set, other)).toBe(model(set).has(JSON.stringify(other)));
      expect(model(set)).toEqual(new Set(paths.map((path) => JSON.stringify(path))));
      expect(isEmpty(set)).toBe(paths.length === 0);
    });
    fc.assert(check);
  });

  test("never contains the root", () => {
    expect(hasField(setOf([fieldElement("a")]), [])).toBe(false);
    expect(setOf([])).toEqual(emptySet);
  });

  test("union, intersection and difference agree with plain sets", () => {
    const check = fc.property(paths, paths, (left, right) => {
      const [a, b] = [setOf(...left), setOf(...right)];
      const [ours, theirs] = [model(a), model(b)];
      const both = [...ours].filter((path) => theirs.has(path));
      const rest = [...ours].filter((path) => !theirs.has(path));
      expect(model(union(a, b))).toEqual(new Set([...ours, ...theirs]));
      expect(model(intersection(a, b))).toEqual(new Set(both));
      expect(model(difference(a, b))).toEqual(new Set(rest));
      expect(model(recursiveDifference(a, b))).toEqual(
        new Set(
          rest.filter((path) => !right.some((above) => isBelow(JSON.parse(path) as FieldSetPath, above))),
        ),
      );
      const inner = (path: FieldSetPath): boolean => left.some((other) => isBelow(other, path));
      expect(model(leaves(a))).toEqual(
        new Set([...ours].filter((path) => !inner(JSON.parse(path) as FieldSetPath))),
      );
      expect(equals(a, b)).toBe(rest.length === 0 && ours.size === theirs.size);
    });
    fc.assert(check, { numRuns: 500 });
  });

  test("is its own canonical JSON after every operation", () => {
    const check = fc.property(paths, paths, (left, right) => {
      const [a, b] = [setOf(...left), setOf(...right)];
      const results = [
        a,
        union(a, b),
        intersection(a, b),
        difference(a, b),
        recursiveDifference(a, b),
        leaves(a),
      ];
      for (const set of results) {
        const text = JSON.stringify(set);
        expect(JSON.stringify(parseFieldsV1(JSON.parse(text)))).toBe(text);
      }
    });
    fc.assert(check, { numRuns: 500 });
  });

  test("is returned itself if an operation changes nothing", () => {
    const set = setOf([fieldElement("a"), fieldElement("b")], [fieldElement("c")]);
    expect(union(set, setOf([fieldElement("c")]))).toBe(set);
    expect(difference(set, setOf([fieldElement("x")]))).toBe(set);
    expect(difference(set, setOf([fieldElement("a")]))).toBe(set);
    expect(recursiveDifference(set, setOf([fieldElement("a")]))).toEqual(setOf([fieldElement("c")]));
  });
});
