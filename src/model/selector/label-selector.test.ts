import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderFieldError } from "../object/field-errors.js";
import type { LabelOperator, Labels } from "./label-requirement.js";
import { labelRequirement } from "./label-requirement.js";
import {
  everything,
  labelSelector,
  nothing,
  parseLabelSelector,
  compileSelector,
  validateLabelSelector,
} from "./label-selector.js";
import { SelectorError } from "./selector-error.js";

const keyText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** The canonical form of a selector, empty when it is refused; any other error is passed on. */
function canonicalOrEmpty(text: string): string {
  try {
    return parseLabelSelector(text).toString();
  } catch (error) {
    if (error instanceof SelectorError) return "";
    throw error;
  }
}

describe("parseLabelSelector", () => {
  test.each([
    ["", ""],
    ["  ", ""],
    ["x=a,y=b,z=c", "x=a,y=b,z=c"],
    ["z=c,x=a", "x=a,z=c"],
    ["x == a", "x==a"],
    ["x!=a", "x!=a"],
    ["x=", "x="],
    ["x= ,z= ", "x=,z="],
    ["x", "x"],
    ["! x", "!x"],
    ["x>1,z<5", "x>1,z<5"],
    ["x in (b,a)", "x in (a,b)"],
    ["x in (a,a)", "x in (a)"],
    ["x notin (b , a)\t,\n y", "x notin (a,b),y"],
    ["x in ()", "x in ()"],
    ["x in (,)", "x in ()"],
    ["x in (a,)", "x in (,a)"],
    ["x in (a,,b)", "x in (,a,b)"],
    ["x in (,a)", "x in (,a)"],
    ["in in (in, notin)", "in in (in,notin)"],
    ["notin=in", "notin=in"],
    ["!in", "!in"],
    ["example.com/x=a", "example.com/x=a"],
    ["x\0=\0a\0, y \0 z", "x=a,y"],
  ])("%j is rendered as %j", (text, canonical) => {
    const selector = parseLabelSelector(text);
    expect(selector.toString()).toBe(canonical);
    expect(parseLabelSelector(canonical).toString()).toBe(canonical);
    expect(selector.empty).toBe(canonical === "");
  });

  test.each([
    [",x", "found ',', expected: !, identifier, or 'end of string'"],
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    ["x=a,", "found '', expected: identifier after ','"],
    ["x,,y", "found ',', expected: identifier after ','"],
    ["x==a==b", "found '==', expected: ',' or 'end of string'"],
    ["!x=a", "found '=', expected: ',' or 'end of string'"],
    ["x=a b", "found 'b', expected: ',' or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["!!x", "unable to parse requirement: found '!', expected: identifier"],
    ["x y", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
    ["x !", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ["x=(a)", "unable to parse requirement: found '(', expected: identifier"],
    ["x===a", "unable to parse requirement: found '=', expected: identifier"],
    ["x in", "unable to parse requirement: found '' expected: '('"],
    ["x in a", "unable to parse requirement: found 'a' expected: '('"],
    ["x in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["x in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["x in (a", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ["x in (,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["x in (a,=)", "unable to parse requirement: found '=', expected: ',', or identifier"],
    ["-x", `unable to parse requirement: <nil>: Invalid value: "-x": ${keyText}`],
    [
      "/-x=a",
      `unable to parse requirement: <nil>: Invalid value: "/-x": prefix part must be non-empty; ${keyText}`,
    ],
    ["x=a||y=b", `unable to parse requirement: values[0][x]: Invalid value: "a||y": ${valueText}`],
    [
      "x in (-a,b,-c)",
      `unable to parse requirement: [values[0][x]: Invalid value: "-a": ${valueText}, values[1][x]: Invalid value: "-c": ${valueText}]`,
    ],
    [
      "x<a",
      `unable to parse requirement: values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      "x>9223372036854775808",
      `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])("rejects %j", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message));
  });

  test("parses any string or throws a SelectorError", () => {
    const pieces = fc.constantFrom(
      "x",
      "in",
      "notin",
      "(",
      ")",
      ",",
      "=",
      "==",
      "!",
      "!=",
      "<",
      ">",
      " ",
      "1",
      "\0",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const canonical = canonicalOrEmpty(parts.join(""));
        expect(canonicalOrEmpty(canonical)).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
  });

  test("parses long strings in linear time", () => {
    expect(() => parseLabelSelector("(".repeat(1_000_000))).toThrow(SelectorError);
    expect(() => parseLabelSelector(`x in (${"a,".repeat(500_000)}`)).toThrow(SelectorError);
    expect(parseLabelSelector(`x${" ".repeat(1_000_000)}`).toString()).toBe("x");
  });
});

describe("matching", () => {
  test.each<[string, Labels | undefined, boolean]>([
    ["", undefined, true],
    ["", { x: "y" }, true],
    ["x=y", { x: "y" }, true],
    ["x=y", { x: "z" }, false],
    ["x=y", undefined, false],
    ["x=", {}, false],
    ["x=", { x: "" }, true],
    ["x!=y", {}, true],
    ["x!=y", { x: "y" }, false],
    ["x=y,z=w", { x: "y", z: "w" }, true],
    ["x=y,z=w", { x: "y" }, false],
    ["x in (a,b)", { x: "b" }, true],
    ["x in (a,b)", {}, false],
    ["x in (a,)", { x: "" }, true],
    ["x notin (a,b)", {}, true],
    ["x notin (a,b)", { x: "a" }, false],
    ["x", { x: "" }, true],
    ["x", {}, false],
    ["!x", {}, true],
    ["!x", { x: "" }, false],
    ["x>1", { x: "2" }, true],
    ["x>1", { x: "1" }, false],
    ["x>1", { x: "10" }, true],
    ["x>1", { x: "many" }, false],
    ["x>1", {}, false],
    ["x<1", { x: "0" }, true],
    ["x>9223372036854775806", { x: "9223372036854775807" }, true],
    ["x<1", { x: "99999999999999999999" }, false],
  ])("%j on %j is %s", (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  test.each(["constructor", "toString", "hasOwnProperty", "valueOf"])(
    "%s is a label like any other",
    (key) => {
      expect(parseLabelSelector(key).matches({})).toBe(false);
      expect(parseLabelSelector(`!${key}`).matches({})).toBe(true);
      expect(parseLabelSelector(`${key}=a`).matches({})).toBe(false);
      expect(parseLabelSelector(`${key}!=a`).matches({})).toBe(true);
      expect(parseLabelSelector(`${key} in (a)`).matches({})).toBe(false);
      expect(parseLabelSelector(`${key}>1`).matches({})).toBe(false);
      expect(parseLabelSelector(key).matches({ [key]: "a" })).toBe(true);
    },
  );

  test("agrees with a reference implementation", () => {
    const word = fc.constantFrom("a", "b", "1", "7", "");
    const key = fc.constantFrom("x", "y", "constructor");
    const operator = fc.constantFrom<LabelOperator>("in", "notin", "=", "==", "!=", "exists", "!");
    const one = fc.tuple(key, operator, fc.array(word, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.dictionary(key, word), (list, labels) => {
        const requirements = list.map(([name, sign, values]) => {
          const size = sign === "exists" || sign === "!" ? 0 : sign.endsWith("in") ? values.length : 1;
          return labelRequirement(name, sign, values.slice(0, size));
        });
        const expected = requirements.every(({ key: name, operator: sign, values }) => {
          const has = Object.hasOwn(labels, name);
          const among = has && values.includes(labels[name] ?? "");
          if (sign === "exists") return has;
          if (sign === "!") return !has;
          return sign === "notin" || sign === "!=" ? !among : among;
        });
        const selector = compileSelector(requirements);
        expect(selector.matches(labels)).toBe(expected);
        expect(parseLabelSelector(selector.toString()).matches(labels)).toBe(expected);
      }),
    );
  });
});

describe("labelSelector", () => {
  test("a missing selector matches nothing, an empty one everything", () => {
    expect(labelSelector(undefined)).toBe(nothing);
    expect(labelSelector(null)).toBe(nothing);
    expect(labelSelector({})).toBe(everything);
    expect(labelSelector({ matchLabels: {}, matchExpressions: [] })).toBe(everything);
    expect([nothing.matches({}), nothing.empty, nothing.toString()]).toEqual([false, false, ""]);
    expect(nothing.exactValue("x")).toBeUndefined();
    expect([everything.matches(undefined), everything.empty]).toEqual([true, true]);
  });

  test("converts labels and expressions to requirements", () => {
    const selector = labelSelector({
      matchLabels: { b: "1" },
      matchExpressions: [
        { key: "d", operator: "In", values: ["y", "x"] },
        { key: "a", operator: "NotIn", values: ["z"] },
        { key: "c", operator: "Exists" },
        { key: "e", operator: "DoesNotExist", values: [] },
      ],
    });
    expect(selector.toString()).toBe("a notin (z),b=1,c,d in (x,y),!e");
    expect(selector.exactValue("b")).toBe("1");
    expect(selector.exactValue("d")).toBeUndefined();
    expect(selector.exactValue("c")).toBeUndefined();
    expect(selector.exactValue("f")).toBeUndefined();
  });

  test.each([
    [{ key: "x", operator: "Gt", values: ["1"] }, '"Gt" is not a valid label selector operator'],
    [{ key: "x", operator: "constructor" }, '"constructor" is not a valid label selector operator'],
    [
      { key: "x", operator: "In" },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { key: "x", operator: "Exists", values: ["a"] },
      'values: Invalid value: ["a"]: values set must be empty for exists and does not exist',
    ],
    [
      { key: "-x", operator: "In", values: ["-a"] },
      `[key: Invalid value: "-x": ${keyText}, values[0][-x]: Invalid value: "-a": ${valueText}]`,
    ],
  ])("rejects %j", (expression, message) => {
    expect(() => labelSelector({ matchExpressions: [expression] })).toThrow(new SelectorError(message));
  });

  test("validateLabelSelector reports field errors", () => {
    const errors = validateLabelSelector(
      {
        matchLabels: { "-x": "-a" },
        matchExpressions: [
          { key: "x", operator: "In" },
          { key: "x", operator: "Exists", values: ["a"] },
          { key: "-x", operator: "Like", values: ["-a"] },
        ],
      },
      "spec.selector",
    );
    expect(errors.map(renderFieldError)).toEqual([
      `spec.selector.matchLabels: Invalid value: "-x": ${keyText}`,
      `spec.selector.matchLabels: Invalid value: "-a": ${valueText}`,
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator',
      `spec.selector.matchExpressions[2].key: Invalid value: "-x": ${keyText}`,
      `spec.selector.matchExpressions[2].values[0]: Invalid value: "-a": ${valueText}`,
    ]);
    expect(validateLabelSelector(undefined, "spec.selector")).toEqual([]);
    expect(validateLabelSelector({ matchLabels: { x: "a" } }, "spec.selector")).toEqual([]);
  });
});

describe("labelRequirement", () => {
  test.each<[LabelOperator, string[], string]>([
    [
      "=",
      ["a", "b"],
      'values: Invalid value: ["a","b"]: exact-match compatibility requires one single value',
    ],
    ["!=", [], "values: Invalid value: null: exact-match compatibility requires one single value"],
    ["gt", [], "values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required"],
  ])("rejects %s %j", (operator, values, message) => {
    expect(() => labelRequirement("x", operator, values)).toThrow(new SelectorError(message));
  });

  test("rejects an unknown operator", () => {
    const unknown: LabelOperator = JSON.parse('"like"');
    expect(() => labelRequirement("x", unknown, [])).toThrow(
      'operator: Unsupported value: "like": supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"',
    );
  });

  test("returns a frozen selector", () => {
    const selector = parseLabelSelector("x in (a)");
    const [requirement] = selector.requirements;
    for (const part of [selector, selector.requirements, requirement, requirement?.values]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});
