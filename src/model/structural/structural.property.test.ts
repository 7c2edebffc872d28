import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";

import { renderFieldErrors } from "../object/field-errors.js";
import { deepFreeze } from "../object/freeze.js";
import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { compileSchema } from "./compile-schema.js";

const names = fc.constantFrom("a", "b", "n", "kind", "metadata", "__proto__", "constructor");
const texts = fc.constantFrom("", "a", "ab", "é😀", "\uD800", "2024-01-01", "1.2.3.4");

const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: -2, max: 3 }), fc.double(), texts),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;

/** A part that is there in one of some cases. */
const oneIn = <Value>(cases: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: cases - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const limits = fc.record(
  {
    nullable: fc.boolean(),
    default: values,
    enum: fc.array(values, { minLength: 1, maxLength: 2 }),
    pattern: fc.constantFrom("^a", "(a+)+$", "["),
    format: fc.constantFrom("date", "ipv4", "int32", "uri", "email"),
    maxLength: fc.nat(2),
    minLength: fc.nat(2),
    minimum: fc.nat(2),
    maximum: fc.double({ min: -1, max: 2, noNaN: true }),
    multipleOf: fc.constantFrom(0, 0.5, 2),
    minItems: fc.nat(2),
    uniqueItems: fc.boolean(),
    maxProperties: fc.nat(2),
    required: fc.array(names, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

/** Schemas of all kinds, whether they make sense or not. */
function schemasOver(inner: fc.Arbitrary<StructuralSchema>): fc.Arbitrary<StructuralSchema> {
  const some = fc.array(inner, { minLength: 1, maxLength: 2 });
  return fc
    .record({
      limits,
      type: fc.constantFrom("object", "object", "array", "string", "integer", "number", undefined),
      properties: oneIn(2, fc.dictionary(names, inner, { maxKeys: 3 })),
      additionalProperties: oneIn(4, fc.oneof(fc.boolean(), inner)),
      items: oneIn(3, inner),
      allOf: oneIn(8, some),
      anyOf: oneIn(8, some),
      oneOf: oneIn(8, some),
      not: oneIn(8, inner),
      "x-kubernetes-preserve-unknown-fields": oneIn(5, fc.constant(true)),
      "x-kubernetes-embedded-resource": oneIn(5, fc.constant(true)),
      "x-kubernetes-int-or-string": oneIn(8, fc.constant(true)),
      "x-kubernetes-list-type": oneIn(2, fc.constantFrom("set", "map", "atomic")),
      "x-kubernetes-list-map-keys": fc.constant(["n"]),
    })
    .map(({ limits: rules, ...parts }) => copy({ ...rules, ...parts }) as StructuralSchema);
}

const copy = (object: object): object => JSON.parse(JSON.stringify(object)) as object;
const leaves = limits.map((rules) => copy(rules) as StructuralSchema);
const schemas = schemasOver(schemasOver(schemasOver(leaves)));
const roots = fc
  .dictionary(names, schemas, { maxKeys: 4 })
  .map((properties): StructuralSchema => ({ type: "object", properties }));
const objects = fc.dictionary(names, values, { maxKeys: 6 });

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe("a compiled schema", () => {
  test.each([false, true])("prunes idempotently (schema describes metadata: %s)", (describesMetadata) => {
    fc.assert(
      fc.property(roots, objects, (root, object) => {
        const schema = compileSchema(root, { describesMetadata });
        const pruned = copy(object);
        schema.prune(pruned);
        const again = copy(pruned);
        expect(schema.prune(again)).toEqual([]);
        expect(again).toEqual(pruned);
      }),
    );
  });

  test.each([false, true])("defaults idempotently (schema describes metadata: %s)", (describesMetadata) => {
    fc.assert(
      fc.property(roots, objects, (root, object) => {
        const schema = compileSchema(root, { describesMetadata });
        const defaulted = copy(object);
        schema.applyDefaults(defaulted);
        const again = copy(defaulted);
        schema.applyDefaults(again);
        expect(again).toEqual(defaulted);
      }),
    );
  });

  test("prunes and defaults idempotently", () => {
    fc.assert(
      fc.property(roots, objects, (root, object) => {
        const schema = compileSchema(root);
        const prepared = copy(object);
        schema.prune(prepared);
        schema.applyDefaults(prepared);
        const again = copy(prepared);
        expect(schema.prune(again)).toEqual([]);
        schema.applyDefaults(again);
        expect(again).toEqual(prepared);
      }),
    );
  });

  test("validates any value without throwing or modifying it", () => {
    fc.assert(
      fc.property(roots, objects, objects, (root, object, old) => {
        const schema = compileSchema(deepFreeze(root));
        const now = deepFreeze(copy(object));
        const errors = schema.validate(now);
        expect(renderFieldErrors(errors)).toBeTypeOf("string");
        const left = schema.validate(now, deepFreeze(copy(old)));
        expect(left.length).toBeLessThanOrEqual(errors.length);
        if (errors.length === 0) expect(left).toEqual([]);
      }),
    );
  });

  test("tolerates only violations that existed before", () => {
    fc.assert(
      fc.property(roots, objects, (root, object) => {
        const schema = compileSchema(root);
        const now = copy(object);
        const all = new Set(schema.validate(now).map(({ field, detail }) => `${field}\0${detail}`));
        for (const { field, detail } of schema.validate(now, copy(object))) {
          expect(all).toContain(`${field}\0${detail}`);
        }
      }),
    );
  });

  test("treats identical parts like equal ones", () => {
    fc.assert(
      fc.property(roots, objects, objects, (root, object, more) => {
        const schema = compileSchema(root);
        const old = copy(object);
        const shared = { ...old, ...copy(more) };
        // Undeclared fields are pruned, unless they are preserved.
        schema.prune(old);
        schema.prune(shared);
        // Two items with the same key are invalid anyway, and cannot be matched with old ones.
        const isClear = schema.validate(old).every(({ type }) => type !== "FieldValueDuplicate");
        fc.pre(isClear);
        expect(schema.validate(shared, old)).toEqual(schema.validate(copy(shared), old));
      }),
    );
  });

  test("handles the maximum depth of a request", () => {
    let deep: Json = 1;
    for (let level = 0; level < 1000; level++) deep = level % 2 === 0 ? { a: deep } : [deep];
    const schema = compileSchema({
      type: "object",
      properties: {
        kept: { "x-kubernetes-preserve-unknown-fields": true, enum: ["x"] },
        map: { type: "object", additionalProperties: true },
        set: {
          type: "array",
          "x-kubernetes-list-type": "set",
          items: { "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    });
    const object = { kept: deep, map: { a: [[[deep]]] }, set: [deep, deep] };
    expect(schema.validate(object).map(({ field }) => field)).toEqual(["kept", "set[1]"]);
    expect(schema.validate(object, copy(object))).toEqual([]);
    expect(schema.prune(copy(object))).toEqual(["map.a[0][0][0][0].a"]);
  });
});

describe("an object with a million errors", () => {
  test("reports a limited number of them", () => {
    const schema = compileSchema({
      type: "object",
      properties: {
        list: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        map: { type: "object", additionalProperties: true },
      },
    });
    const list = Array.from({ length: 100_000 }, (_, index) => index >> 1);
    expect(schema.validate({ list }).length).toBeLessThanOrEqual(2000);
    let deep: Json = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
    for (let level = 0; level < 900; level++) deep = [deep];
    const metadata = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
    const object = { metadata, map: { deep } };
    expect(schema.prune(object)).toHaveLength(2000);
    expect(object.metadata).toEqual({});
    expect(schema.prune(object)).toEqual([]);
  });
});
