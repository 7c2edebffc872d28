import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, jsonEqual } from "./json.js";

const proto = (value: Json): Json => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ["{}", false],
  [1, false],
])("%j is a JSON map: %s", (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});

describe("jsonEqual", () => {
  test.each<[Json, Json, boolean]>([
    [1, 1, true],
    [1, "1", false],
    [null, {}, false],
    [[], {}, false],
    [{}, [], false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [{ a: null }, { b: null }, false],
    [{ constructor: 1 }, { toString: 1 }, false],
    [proto(1), proto(1), true],
    [proto(1), proto(2), false],
    [proto({}), { x: 1 }, false],
    [{ x: {} }, proto({}), false],
  ])("%j and %j: %j", (left, right, same) => {
    expect(jsonEqual(left, right)).toBe(same);
    expect(jsonEqual(right, left)).toBe(same);
  });

  test("agrees with the serialised form", () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(value, value, (left, right) => {
        expect(jsonEqual(left, structuredClone(left))).toBe(true);
        expect(jsonEqual(left, right)).toBe(sorted(left) === sorted(right));
      }),
    );
  });

  test("handles any depth of nesting", () => {
    expect(jsonEqual(deep(1), deep(1))).toBe(true);
    expect(jsonEqual(deep(1), deep(2))).toBe(false);
  });
});

function deep(leaf: number): Json {
  let value: Json = leaf;
  for (let level = 0; level < 200_000; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

function sorted(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${sorted(field)}`);
  return `{${fields.sort().join()}}`;
}
