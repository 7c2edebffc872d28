import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  escapeFieldValue,
  type FieldRequirement,
  fieldSelector,
  parseFieldSelector,
} from "./field-selector.js";
import { SelectorError } from "./selector-error.js";

function fields(values: Record<string, string>): (field: string) => string | undefined {
  return (field) => (Object.hasOwn(values, field) ? values[field] : undefined);
}

describe("parsing", () => {
  test.each<[string, FieldRequirement[]]>([
    ["", []],
    [",", []],
    ["=", []],
    ["a=b", [{ field: "a", operator: "=", value: "b" }]],
    ["a==b", [{ field: "a", operator: "=", value: "b" }]],
    ["a!=b", [{ field: "a", operator: "!=", value: "b" }]],
    ["a=", [{ field: "a", operator: "=", value: "" }]],
    [
      "b=1,a!=2",
      [
        { field: "a", operator: "!=", value: "2" },
        { field: "b", operator: "=", value: "1" },
      ],
    ],
    [String.raw`a=x\,y\=z\\`, [{ field: "a", operator: "=", value: String.raw`x,y=z\ `.trim() }]],
    ["a=b!c", [{ field: "a", operator: "=", value: "b!c" }]],
  ])("%j", (text, requirements) => {
    const selector = parseFieldSelector(text);
    expect(selector.requirements).toEqual(requirements);
    expect(selector.empty).toBe(requirements.length === 0);
  });

  test.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["x=y,a", "invalid selector: 'x=y,a'; can't understand 'a'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    [String.raw`a=\b`, String.raw`invalid field selector: invalid escape sequence: \b`],
    [String.raw`a=\🚀`, String.raw`invalid field selector: invalid escape sequence: \🚀`],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ])("rejects %j", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });
});

describe("matching", () => {
  test.each([
    ["", {}, true],
    ["a=1", { a: "1" }, true],
    ["a=1", { a: "2" }, false],
    ["a=1", {}, false],
    ["a=", {}, true],
    ["a!=1", {}, true],
    ["a!=1", { a: "1" }, false],
    ["a=1,b!=2", { a: "1", b: "3" }, true],
    ["a=1,b!=2", { a: "1", b: "2" }, false],
  ])("%j on %j", (text, values, expected) => {
    expect(parseFieldSelector(text).matches(fields(values))).toBe(expected);
  });
});

test("exactValue", () => {
  const selector = parseFieldSelector("metadata.name=x,spec.a!=y");
  expect(selector.exactValue("metadata.name")).toBe("x");
  expect(selector.exactValue("spec.a")).toBeUndefined();
  expect(selector.exactValue("metadata.namespace")).toBeUndefined();
});

test("returns a frozen selector", () => {
  const selector = parseFieldSelector("a=b");
  for (const part of [selector, selector.requirements, selector.requirements[0]]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("round-trips any value", () => {
  const requirement = fc.record({
    field: fc.constantFrom("metadata.name", "spec.x"),
    operator: fc.constantFrom("=" as const, "!=" as const),
    value: fc.string({ unit: "grapheme" }),
  });
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      const selector = fieldSelector(requirements);
      const again = parseFieldSelector(selector.toString());
      expect(again.requirements).toHaveLength(requirements.length);
      expect(again.requirements).toEqual(expect.arrayContaining(requirements));
      expect(parseFieldSelector(again.toString()).toString()).toBe(again.toString());
    }),
  );
});

test("escaping", () => {
  expect(escapeFieldValue(String.raw`a,b=c\d`)).toBe(String.raw`a\,b\=c\\d`);
});
