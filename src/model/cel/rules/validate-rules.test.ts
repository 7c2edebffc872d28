import { describe, expect, test } from "vitest";
import { type FieldError, renderFieldError } from "../../object/field-errors.js";
import type { Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { compileSchema } from "../../structural/compile-schema.js";
import { checkRules } from "./check-rules.js";
import { validateRules } from "./validate-rules.js";

const withRules = (properties: Record<string, StructuralSchema>, ...rules: string[]): StructuralSchema => ({
  type: "object",
  properties,
  "x-kubernetes-validations": rules.map((rule) => ({ rule, message: "no" })),
});
const text: StructuralSchema = { type: "string" };
const numbers: StructuralSchema = { type: "array", items: { type: "integer" } };

describe("rules of a kind", () => {
  const kind = compileSchema({
    type: "object",
    properties: { spec: withRules({ size: { type: "integer" }, name: text }, "self.size > 0") },
  });
  const faults = (spec: object, old?: object): string[] =>
    kind.validate({ spec }, old && { spec: old }).map(renderFieldError);

  test("are run", () => {
    expect(faults({ size: 1 })).toEqual([]);
    expect(faults({ size: 0 })).toEqual(['spec: Invalid value: "object": no']);
    expect(faults({})).toEqual(['spec: Invalid value: "object": no such key: size evaluating rule: no']);
  });

  test("tolerate violations of unchanged values", () => {
    expect(faults({ size: 0 }, { size: 0 })).toEqual([]);
    expect(faults({ size: 0, name: "b" }, { size: 0, name: "a" })).toHaveLength(1);
  });

  test("report tolerated violations", () => {
    const ruled = compileSchema({
      type: "object",
      properties: {
        spec: {
          ...withRules(
            { size: { type: "integer" }, name: text },
            "self.size > 0",
            "self.size > oldSelf.size",
          ),
        },
      },
    });
    const messages: string[] = [];
    const tolerate = (error: FieldError): void => void messages.push(renderFieldError(error));
    const same = { spec: { size: 0 } };
    expect(ruled.validate(same, same, { tolerate }).map(renderFieldError)).toEqual([
      'spec: Invalid value: "object": no',
    ]);
    expect(messages).toEqual(['spec: Invalid value: "object": no']);
    ruled.validate({ spec: { size: -1 } }, same, { tolerate });
    expect(messages).toHaveLength(1);
  });

  test("are not run for an object with type errors", () => {
    expect(faults({ size: "x" })).toEqual([
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
  });
});

describe("no rule can block the server", () => {
  const spent = /running out of cost budget|call cost exceeds limit/;
  const long = "x".repeat(1_000_000);
  const many = Array.from({ length: 20_000 }, (_, index) => index);
  const nested = Array.from({ length: 10_000 }, () => ({ a: { b: ["x", "y", "z"] } }));
  const items: StructuralSchema = {
    type: "array",
    items: {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "array", items: text } } } },
    },
  };

  test.each<[string, string]>([
    ["loops in loops", "self.n.all(x, self.n.all(y, self.n.all(z, x + y + z >= 0)))"],
    ["counting a long text again and again", "self.n.all(x, size(self.t) > 0)"],
    ["comparing deep objects again and again", "self.n.all(x, self.o == self.o)"],
    ["putting long lists together", "self.n.all(x, (self.n + self.n).exists(y, y < 0) || true)"],
    ["growing texts", "self.n.all(x, (self.t + self.t + self.t + self.t).size() > 0)"],
    ["patterns that match everywhere", "self.n.all(x, !self.t.matches('(x?){1000}y'))"],
    ["finding with patterns that look far ahead", "self.t.findAll('x.*y|x').size() > 0"],
    ["formatting", "self.n.all(x, '%s'.format([self.o]) != '')"],
    ["replacing", "self.t.replace('', self.t).size() > 0"],
    ["sets", "sets.contains(self.n, self.n.map(x, x + 1))"],
    [
      "times elsewhere",
      "self.n.all(x, timestamp(x).getHours('Asia/Tokyo') >= 0 && self.n.all(y, timestamp(y).getHours('Europe/Rome') >= 0))",
    ],
  ])("%s", (_, rule) => {
    const schema = withRules({ n: numbers, t: text, o: items }, rule);
    const [error] = validateRules(schema, { n: many, t: long, o: nested });
    expect(error?.detail).toMatch(spent);
  });

  test("runs no further rules after exceeding the limit", () => {
    const rules = ["self.n.all(x, self.n.all(y, x + y >= 0))", "false"];
    const errors = validateRules(withRules({ n: numbers }, ...rules), { n: many });
    expect(errors).toHaveLength(1);
  });

  test("limits the cost of all rules together", () => {
    const item = withRules({}, "[1, 2, 3].all(x, [1, 2, 3, 4].all(y, [1, 2, 3, 4].all(z, x + y + z > 0)))");
    const objects: Json = Array.from({ length: 50_000 }, () => ({}));
    const errors = validateRules(
      { type: "object", properties: { l: { type: "array", items: item } } },
      { l: objects },
    );
    expect(errors.map(({ detail }) => detail)).toEqual([
      "validation failed due to running out of cost budget, no further validation rules will be run",
    ]);
  });
});

describe("expressions of any shape", () => {
  const depths = [100, 260, 10_000];
  test.each<[string, (depth: number) => string]>([
    ["parentheses", (depth) => `${"(".repeat(depth)}true${")".repeat(depth)}`],
    ["lists", (depth) => `${"[".repeat(depth)}1${"]".repeat(depth)}.size() > 0`],
    ["fields", (depth) => `dyn(self)${".a".repeat(depth)} == 1`],
    ["sums", (depth) => `${"1+".repeat(depth)}1 > 0`],
    ["terms", (depth) => `${"true && ".repeat(depth)}true`],
    ["signs", (depth) => `${"!".repeat(depth)}true`],
    ["choices", (depth) => `${"true ? true : ".repeat(depth)}true`],
    ["optionals", (depth) => `optional.of(1)${".optMap(x, x)".repeat(depth / 10)}.hasValue()`],
    ["loops", (depth) => `${"[1].all(x, ".repeat(depth / 10)}true${")".repeat(depth / 10)}`],
    ["selections", (depth) => `${"(".repeat(depth / 2)}dyn(self)${".a.b.c.d)".repeat(depth / 2)} == 1`],
  ])("%s are parsed or rejected", (_, write) => {
    for (const depth of depths) {
      const errors = checkRules(withRules({}, write(depth)), "");
      const limits = /recursion limit|size exceeds limit|exceeds budget|exceeding cost/;
      expect(errors.filter(({ detail }) => !limits.test(detail))).toEqual([]);
    }
  });
});
