import { describe, expect, test } from "vitest";

import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { compileSchema } from "./compile-schema.js";

const object = (properties: Record<string, StructuralSchema>, more: object = {}): StructuralSchema => ({
  type: "object",
  properties,
  ...more,
});
const one: StructuralSchema = { type: "integer", default: 1 };
const text: StructuralSchema = { type: "string" };

const defaulted = (schema: StructuralSchema, value: Json): unknown => {
  const root = { spec: JSON.parse(JSON.stringify(value)) as Json };
  compileSchema(object({ spec: schema })).applyDefaults(root);
  return root.spec;
};

describe("applyDefaults", () => {
  test.each<[string, StructuralSchema, Json, Json]>([
    ["a missing field", object({ a: one }), {}, { a: 1 }],
    ["not a field that is there", object({ a: one }), { a: 2 }, { a: 2 }],
    ["null that is not allowed", object({ a: one }), { a: null }, { a: 1 }],
    ["not null that is allowed", object({ a: { ...one, nullable: true } }), { a: null }, { a: null }],
    ["null without a default goes", object({ a: text, b: text }), { a: null, b: "x" }, { b: "x" }],
    ["fields of a default", object({ a: object({ b: one }, { default: {} }) }), {}, { a: { b: 1 } }],
    ["not fields of what is missing", object({ a: object({ b: one }) }), {}, {}],
    ["in lists", { type: "array", items: object({ a: one }) }, [{}, { a: 2 }], [{ a: 1 }, { a: 2 }]],
    ["null items", { type: "array", items: one }, [null, 2], [1, 2]],
    ["null items stay without a default", { type: "array", items: text }, [null], [null]],
    ["in maps", { type: "object", additionalProperties: object({ a: one }) }, { k: {} }, { k: { a: 1 } }],
    ["null entries", { type: "object", additionalProperties: one }, { k: null }, { k: 1 }],
    ["null entries go without a default", { type: "object", additionalProperties: text }, { k: null }, {}],
    ["nothing for unknown fields", object({ a: one }), { b: null }, { b: null, a: 1 }],
    ["nothing into what is no object", object({ a: one }), "text", "text"],
    ["a default of null is none", object({ a: { ...text, nullable: true, default: null } }), {}, {}],
    [
      "defaults without what is unknown in them",
      object({ a: object({ b: text }, { default: { b: "x", c: 1 } }) }),
      {},
      { a: { b: "x" } },
    ],
    [
      "embedded resources",
      object({
        a: object({ kind: { ...text, default: "K" } }, { "x-kubernetes-embedded-resource": true }),
      }),
      { a: { metadata: { name: "x" } } },
      { a: { metadata: { name: "x" }, kind: "K" } },
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(defaulted(schema, value)).toEqual(expected);
  });

  test("gives each object its own copy of a default", () => {
    const schema = compileSchema(object({ list: { type: "array", items: text, default: ["a"] } }));
    const first: { list?: string[] } = {};
    schema.applyDefaults(first);
    first.list?.push("b");
    const second = {};
    schema.applyDefaults(second);
    expect(second).toEqual({ list: ["a"] });
  });

  test("defaults metadata only for built-in kinds", () => {
    const schema = object({ metadata: object({ name: { ...text, default: "x" } }) });
    const root = { metadata: { labels: null } };
    compileSchema(schema).applyDefaults(root);
    expect(root).toEqual({ metadata: { labels: null } });
    compileSchema(schema, { builtIn: true }).applyDefaults(root);
    expect(root).toEqual({ metadata: { labels: null, name: "x" } });
  });

  test("does not modify Object.prototype", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"spec":{"type":"object","properties":{"__proto__":{"type":"object","properties":{"polluted":{"type":"string","default":"yes"}}},"constructor":{"type":"object","default":{"prototype":{}},"x-kubernetes-preserve-unknown-fields":true}}}}}',
    ) as StructuralSchema;
    const root = JSON.parse('{"spec":{"__proto__":null}}') as object;
    compileSchema(schema).applyDefaults(root);
    expect(JSON.stringify(root)).toBe('{"spec":{"constructor":{"prototype":{}}}}');
    expect(Object.keys(Object.prototype)).toEqual([]);
    const own = JSON.parse('{"spec":{"__proto__":{}}}') as object;
    compileSchema(schema).applyDefaults(own);
    expect(JSON.stringify(own)).toContain('"__proto__":{"polluted":"yes"}');
    expect("polluted" in {}).toBe(false);
  });
});
