import { describe, expect, test } from "vitest";

import { renderFieldError } from "../../object/field-errors.js";
import { compileSchema } from "../compile-schema.js";

/** Errors of `spec`, or of a whole object. */
const faults = (schema: object, spec: unknown): string[] =>
  compileSchema({ type: "object", properties: { spec: schema } })
    .validate({ spec })
    .map(renderFieldError);

const text = { type: "string" };
const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const list = (items: object, more: object = {}): object => ({ type: "array", items, ...more });

describe("types", () => {
  test.each<[object, unknown, string]>([
    [text, 1, 'spec in body must be of type string: "integer"'],
    [text, 1.5, 'spec in body must be of type string: "number"'],
    [text, true, 'spec in body must be of type string: "boolean"'],
    [text, null, 'spec in body must be of type string: "null"'],
    [text, [], 'spec in body must be of type string: "array"'],
    [{ type: "integer" }, "x", 'spec in body must be of type integer: "string"'],
    [{ type: "integer" }, 1.5, 'spec in body must be of type integer: "number"'],
    [{ type: "integer" }, 1e30, 'spec in body must be of type integer: "number"'],
    [{ type: "object" }, [], 'spec in body must be of type object: "array"'],
    [{ type: "array", items: text }, {}, 'spec in body must be of type array: "object"'],
    [{ "x-kubernetes-int-or-string": true }, true, 'spec in body must be of type integer,string: "boolean"'],
    [{ ...text, format: "date" }, 1, 'spec in body must be of type date: "int64"'],
    [{ ...text, format: "date" }, 1.5, 'spec in body must be of type date: "float64"'],
    [{ ...text, format: "date" }, {}, 'spec in body must be of type date: ""'],
    [{ ...text, format: "date" }, [1], 'spec in body must be of type string: "array"'],
  ])("%j rejects %j", (schema, value, detail) => {
    const quoted = /"([^"]*)"$/.exec(detail)?.[1] ?? "";
    expect(faults(schema, value)).toEqual([`spec: Invalid value: "${quoted}": ${detail}`]);
  });

  test.each<[object, unknown]>([
    [{ type: "integer" }, 1.0],
    [{ type: "integer" }, -0],
    [{ type: "integer" }, 2 ** 63],
    [{ type: "integer" }, 3.000_000_000_1],
    [{ type: "number" }, 1],
    [{ type: "number" }, 1e300],
    [{ ...text, nullable: true }, null],
    [{ "x-kubernetes-int-or-string": true }, 1],
    [{ "x-kubernetes-int-or-string": true }, "1"],
    [{ "x-kubernetes-preserve-unknown-fields": true }, null],
    [{ type: "integer", format: "int32" }, 2 ** 40],
    [{ ...text, format: "no-such-format" }, "x"],
  ])("%j accepts %j", (schema, value) => {
    expect(faults(schema, value)).toEqual([]);
  });
});

describe("values", () => {
  test.each<[object, unknown, string]>([
    [{ ...text, maxLength: 1 }, "ab", "Too long: may not be more than 1 byte"],
    [{ ...text, maxLength: 2 }, "abc", "Too long: may not be more than 2 bytes"],
    [{ ...text, minLength: 3 }, "é😀", 'Invalid value: "é😀": spec in body should be at least 3 chars long'],
    [{ ...text, pattern: "^a+$" }, "b", "Invalid value: \"b\": spec in body should match '^a+$'"],
    [
      { ...text, pattern: "[" },
      "b",
      "Invalid value: \"b\": spec in body should match '[, but pattern is invalid: error parsing regexp: missing closing ]: `[`'",
    ],
    [{ ...text, format: "date" }, "x", 'Invalid value: "x": spec in body must be of type date: "x"'],
    [
      { type: "integer", minimum: 2 },
      1,
      "Invalid value: 1: spec in body should be greater than or equal to 2",
    ],
    [
      { type: "integer", minimum: 2, exclusiveMinimum: true },
      2,
      "Invalid value: 2: spec in body should be greater than 2",
    ],
    [{ type: "integer", maximum: 2 }, 3, "Invalid value: 3: spec in body should be less than or equal to 2"],
    [
      { type: "integer", maximum: 2, exclusiveMaximum: true },
      2,
      "Invalid value: 2: spec in body should be less than 2",
    ],
    [
      { type: "number", maximum: 10_000_000 },
      20_000_000,
      "Invalid value: 20000000: spec in body should be less than or equal to 10000000",
    ],
    [
      { type: "number", minimum: 1.5 },
      1,
      "Invalid value: 1: spec in body should be greater than or equal to 1.5",
    ],
    [
      { type: "number", minimum: 1e-5 },
      0.5e-6,
      "Invalid value: 5e-07: spec in body should be greater than or equal to 1e-05",
    ],
    [{ type: "integer", multipleOf: 2 }, 3, "Invalid value: 3: spec in body should be a multiple of 2"],
    [
      { type: "number", multipleOf: 0.1 },
      0.25,
      "Invalid value: 0.25: spec in body should be a multiple of 0.1",
    ],
    [
      { type: "integer", multipleOf: 0 },
      3,
      "Invalid value: 0: factor MultipleOf declared for spec must be positive: 0",
    ],
    [list(text, { minItems: 2 }), ["a"], "Invalid value: 1: spec in body should have at least 2 items"],
    [list(text, { maxItems: 1 }), ["a", "b"], "Too many: 2: must have at most 1 item"],
    [
      list({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, { uniqueItems: true }),
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'Invalid value: "": spec in body shouldn\'t contain duplicates',
    ],
    [
      { type: "object", minProperties: 2, additionalProperties: text },
      { a: "b" },
      "Invalid value: 1: spec in body should have at least 2 properties",
    ],
    [
      { type: "object", maxProperties: 1, additionalProperties: text },
      { a: "b", c: "d" },
      "Too many: 2: must have at most 1 item",
    ],
    [
      { type: "object", additionalProperties: false },
      { a: "b" },
      'Invalid value: "a": spec.a in body is a forbidden property',
    ],
    [{ ...text, enum: ["a", "b"] }, "c", 'Unsupported value: "c": supported values: "a", "b"'],
    [{ type: "integer", enum: [1, 2] }, 3, 'Unsupported value: 3: supported values: "1", "2"'],
    [
      { ...text, nullable: true, enum: ["a", null] },
      null,
      'Unsupported value: null: supported values: "a", "null"',
    ],
    [
      object({ a: text }, { enum: [{ b: 1, a: "<" }] }),
      { a: "x" },
      'Unsupported value: {"a":"x"}: supported values: "{\\"a\\":\\"\\\\u003c\\",\\"b\\":1}"',
    ],
  ])("%j rejects %j", (schema, value, body) => {
    expect(faults(schema, value)).toEqual([`spec: ${body}`]);
  });

  test.each<[object, unknown]>([
    [{ ...text, maxLength: 2, minLength: 2 }, "é😀"],
    [{ ...text, maxLength: 1, minLength: 1 }, "\uD800"],
    [{ type: "number", multipleOf: 0.1 }, 0.3],
    [{ type: "number", multipleOf: 0.5 }, 3],
    [object({ a: text }, { enum: [{ a: "x" }] }), { a: "x" }],
    [list(text, { uniqueItems: true }), ["1", "[]", "{}"]],
  ])("%j accepts %j", (schema, value) => {
    expect(faults(schema, value)).toEqual([]);
  });

  test("reports only the first error of a string", () => {
    expect(faults({ ...text, maxLength: 1, pattern: "^a$", enum: ["x"] }, "bb")).toEqual([
      "spec: Too long: may not be more than 1 byte",
      'spec: Unsupported value: "bb": supported values: "x"',
    ]);
  });
});

describe("fields and items", () => {
  test("are reported with their paths", () => {
    const schema = object(
      {
        list: list(object({ a: text }, { required: ["b"] })),
        map: { type: "object", additionalProperties: text },
      },
      { required: ["name"] },
    );
    expect(faults(schema, { list: [{ a: 1 }], map: { "a.b": 2 } })).toEqual([
      'spec.list[0].a: Invalid value: "integer": spec.list[0].a in body must be of type string: "integer"',
      "spec.list[0].b: Required value",
      'spec.map.a.b: Invalid value: "integer": spec.map.a.b in body must be of type string: "integer"',
      "spec.name: Required value",
    ]);
  });

  test("errors about the whole object have no path", () => {
    const schema = compileSchema({ type: "object", required: ["spec"], minProperties: 4 });
    expect(schema.validate({ kind: "K" }).map(renderFieldError)).toEqual([
      "<nil>: Invalid value: 1:  in body should have at least 4 properties",
      "spec: Required value",
    ]);
  });

  test("the schema can restrict metadata.name", () => {
    const schema = compileSchema({
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 } } } },
    });
    const errors = schema.validate({ metadata: { name: "four", labels: { any: "thing" } } });
    expect(errors.map(renderFieldError)).toEqual(["metadata.name: Too long: may not be more than 3 bytes"]);
  });

  test("treats __proto__ and constructor as ordinary names", () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}',
    ) as object;
    const value = JSON.parse('{"__proto__":1,"constructor":"x","toString":1}') as unknown;
    expect(faults(object(properties, { required: ["valueOf", "__proto__"] }), value)).toEqual([
      'spec.__proto__: Invalid value: "integer": spec.__proto__ in body must be of type string: "integer"',
      "spec.valueOf: Required value",
    ]);
  });
});

describe("combinations", () => {
  const any = { "x-kubernetes-preserve-unknown-fields": true };

  test.each<[string, object, unknown, string[]]>([
    [
      "anyOf",
      { ...text, anyOf: [{ pattern: "^a" }, { minLength: 3 }] },
      "b",
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        "spec: Invalid value: \"b\": spec in body should match '^a'",
      ],
    ],
    [
      "anyOf shows what was nearest",
      { ...any, anyOf: [{ required: ["x"] }, { properties: { a: { enum: [1] }, b: { enum: [1] } } }] },
      { a: 1, b: 2 },
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        'spec.b: Unsupported value: 2: supported values: "1"',
      ],
    ],
    [
      "oneOf with none",
      { ...any, oneOf: [{ required: ["x"] }, { required: ["y"] }] },
      {},
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
        "spec.x: Required value",
      ],
    ],
    [
      "oneOf with both",
      { ...any, oneOf: [{ required: ["x"] }, { required: ["y"] }] },
      { x: 1, y: 1 },
      [
        '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      "allOf with one",
      { ...any, allOf: [{ required: ["x"] }, { required: ["y"] }] },
      { x: 1 },
      ["spec.y: Required value", '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)'],
    ],
    [
      "allOf with none",
      { ...text, allOf: [{ minLength: 2 }, { pattern: "x" }] },
      "a",
      [
        'spec: Invalid value: "a": spec in body should be at least 2 chars long',
        "spec: Invalid value: \"a\": spec in body should match 'x'",
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      "not",
      { ...text, not: { pattern: "^a" } },
      "ab",
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
    [
      "the same twice",
      { ...text, pattern: "^a", allOf: [{ pattern: "^a" }] },
      "b",
      [
        "spec: Invalid value: \"b\": spec in body should match '^a'",
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      ],
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  test("do not apply to null", () => {
    expect(faults({ ...text, nullable: true, anyOf: [{ pattern: "^a" }], not: {} }, null)).toEqual([]);
  });
});

describe("lists", () => {
  const set = list(text, { "x-kubernetes-list-type": "set" });
  const map = (keys: readonly string[]): object =>
    list(
      { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { n: text, p: text } },
      {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": keys,
      },
    );

  test.each<[string, object, unknown, string[]]>([
    ["a set", set, ["a", "b", "a", "a"], ['spec[2]: Duplicate value: "a"']],
    ["items with one key", map(["n"]), [{ n: "a" }, { n: "a" }], ['spec[1]: Duplicate value: {"n":"a"}']],
    ["items without their key", map(["n"]), [{ p: "1" }, {}], ["spec[1]: Duplicate value: {}"]],
    [
      "items with two keys",
      map(["n", "p"]),
      [
        { n: "a", p: "b" },
        { n: "a", p: "c" },
        { p: "b", n: "a" },
      ],
      ['spec[2]: Duplicate value: {"n":"a","p":"b"}'],
    ],
    [
      "no objects",
      map(["n"]),
      [{ n: "a" }, 5],
      [
        'spec[1]: Invalid value: "integer": spec[1] in body must be of type object: "integer"',
        "spec[1]: Invalid value: 5: must be an object for an array of list-type map",
      ],
    ],
    [
      "in a map",
      { type: "object", additionalProperties: set },
      { k: ["a", "a"] },
      ['spec[k][1]: Duplicate value: "a"'],
    ],
    ["different items", set, ["1", "[]", "{}", "null"], []],
    ["keys that differ", map(["n", "p"]), [{ n: "a" }, { n: "b" }, { n: "a", p: "a" }], []],
  ])("%s", (_, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  test("tolerates duplicates only if they were stored before", () => {
    const schema = compileSchema({ type: "object", properties: { spec: set } });
    expect(schema.validate({ spec: ["a", "a", "b"] }, { spec: ["a", "a"] })).toEqual([]);
    expect(schema.validate({ spec: ["a", "a"] }, { spec: ["a"] })).toHaveLength(1);
  });
});
