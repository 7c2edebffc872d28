import { describe, expect, test } from "vitest";

import { checkStructural } from "./structural-check.js";
import type { StructuralSchema } from "./structural-schema.js";

const text: StructuralSchema = { type: "string" };
const field = (schema: object): StructuralSchema => ({
  type: "object",
  properties: { a: schema },
});
const at = "properties[a]";
const list = (keywords: object, items: object = text): StructuralSchema =>
  field({ type: "array", items, ...keywords });
const mapList = (keys: readonly string[], items: object): StructuralSchema =>
  list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys }, items);
const withRule = (rule: object): StructuralSchema => field({ ...text, "x-kubernetes-validations": [rule] });

describe("checkStructural", () => {
  test.each<[string, StructuralSchema]>([
    ["a plain object", field({ ...text, default: "x", nullable: true })],
    [
      "int-or-string",
      field({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
    ],
    [
      "int-or-string with more to say",
      field({
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "a" }],
      }),
    ],
    ["what is preserved", field({ "x-kubernetes-preserve-unknown-fields": true })],
    [
      "names in metadata",
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 4 } } } },
      },
    ],
    [
      "value validations",
      { ...field({ type: "integer" }), oneOf: [{ properties: { a: { minimum: 1 } } }, { required: ["b"] }] },
    ],
    ["a list map", mapList(["k"], { type: "object", properties: { k: text }, required: ["k"] })],
    [
      "a list map with a default key",
      mapList(["k"], { type: "object", properties: { k: { ...text, default: "" } } }),
    ],
  ])("allows %s", (_name, schema) => {
    expect(checkStructural(schema)).toEqual([]);
  });

  test.each<[StructuralSchema, string]>([
    [{}, "type: Required value: must not be empty at the root"],
    [{ type: "string" }, 'type: Invalid value: "string": must be object at the root'],
    [{ type: "object", nullable: true }, "nullable: Forbidden: nullable cannot be true at the root"],
    [
      { type: "object", additionalProperties: text },
      "additionalProperties: Forbidden: must not be used at the root",
    ],
    [field({}), `${at}.type: Required value: must not be empty for specified object fields`],
    [list({}, {}), `${at}.items.type: Required value: must not be empty for specified array items`],
    [field({ type: "array" }), `${at}.items: Required value: must be specified`],
    [
      field({ type: "null" }),
      `${at}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
    [
      field({ type: "float" }),
      `${at}.type: Unsupported value: "float": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
    [field({ ...text, $ref: "#/x" }), `${at}.$ref: Forbidden: $ref is not supported`],
    [
      field({ ...text, definitions: { x: {} } }),
      `${at}.definitions: Forbidden: definitions is not supported`,
    ],
    [
      list({ uniqueItems: true }),
      `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
    [
      field({ type: "object", properties: { b: text }, additionalProperties: text }),
      `${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      field({ type: "object", properties: { b: text }, additionalProperties: false }),
      `${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      field({ ...text, anyOf: [{ type: "string" }] }),
      `${at}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    [
      field({ ...text, not: { default: 1 } }),
      `${at}.not.default: Forbidden: must be undefined to be structural`,
    ],
    [
      field({ ...text, allOf: [{ description: "x" }] }),
      `${at}.allOf[0].description: Forbidden: must be empty to be structural`,
    ],
    [
      field({ ...text, oneOf: [{ nullable: true }] }),
      `${at}.oneOf[0].nullable: Forbidden: must be false to be structural`,
    ],
    [
      field({ ...text, allOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }] }),
      `${at}.allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural`,
    ],
    [
      { ...field(text), anyOf: [{ properties: { b: { minLength: 1 } } }] },
      "properties[b]: Required value: because it is defined in anyOf[0].properties[b]",
    ],
    [
      { ...field(text), anyOf: [{ properties: { a: { items: { minLength: 1 } } } }] },
      `${at}.items: Required value: because it is defined in anyOf[0].properties[a].items`,
    ],
    [
      {
        type: "object",
        properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
      },
      "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
    [
      { type: "object", properties: { kind: { type: "integer" } } },
      'properties[kind].type: Invalid value: "integer": must be string',
    ],
    [
      { type: "object", properties: { kind: { type: "string", default: "A" } } },
      "properties[kind].default: Forbidden: must not be set in top-level kind",
    ],
    [
      field({ type: "object", "x-kubernetes-embedded-resource": true }),
      `${at}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
    [
      field({ ...text, "x-kubernetes-preserve-unknown-fields": false }),
      `${at}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
    ],
    [
      field({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
      `${at}.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
    ],
    [
      field({ ...text, "x-kubernetes-map-type": "atomic" }),
      `${at}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`,
    ],
    [
      field({ type: "object", "x-kubernetes-map-type": "x" }),
      `${at}.x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"`,
    ],
    [
      list({ "x-kubernetes-list-type": "x" }),
      `${at}.x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"`,
    ],
    [
      list({ "x-kubernetes-list-type": "set" }, { type: "object" }),
      `${at}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
    [
      list({ "x-kubernetes-list-type": "set" }, { type: "string", nullable: true }),
      `${at}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`,
    ],
    [
      list({ "x-kubernetes-list-map-keys": ["k"] }),
      `${at}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`,
    ],
    [
      mapList([], { type: "object" }),
      `${at}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
    ],
    [
      mapList(["k"], text),
      `${at}.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
    ],
    [
      mapList(["k"], { type: "object" }),
      `${at}.x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties`,
    ],
    [
      mapList(["k"], { type: "object", properties: { k: text } }),
      `${at}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      withRule({ rule: " " }),
      `${at}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
    ],
    [
      withRule({ rule: "a\nb" }),
      `${at}.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks`,
    ],
    [
      withRule({ rule: "a", message: "b\nc" }),
      `${at}.x-kubernetes-validations[0].message: Invalid value: "b\\nc": must not contain line breaks`,
    ],
    [
      withRule({ rule: "a", reason: "Bad" }),
      `${at}.x-kubernetes-validations[0].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
  ])("rejects %j", (schema, problem) => {
    expect(checkStructural(schema).map(({ path, message }) => `${path}: ${message}`)).toEqual([problem]);
  });

  test("reports all problems in order, below the given path", () => {
    const problems = checkStructural({ type: "object", properties: { b: {}, a: {} } }, "spec.schema");
    expect(problems.map(({ path }) => path)).toEqual([
      "spec.schema.properties[a].type",
      "spec.schema.properties[b].type",
    ]);
  });

  test("stops at the maximum depth", () => {
    let schema: StructuralSchema = text;
    for (let depth = 0; depth < 50_000; depth++) schema = field(schema);
    expect(checkStructural(schema)).toEqual([
      { path: expect.any(String), message: "Forbidden: must not be nested more than 256 levels deep" },
    ]);
  });
});
