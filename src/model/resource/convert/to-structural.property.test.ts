import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { isJsonArray, isJsonObject, type Json, jsonEqual } from "../../object/json.js";
import { intOrString, listMap, listSet, quantity, rule } from "../markers.js";
import { checkStructural } from "../../schema/structural-check.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { toStructural } from "./to-structural.js";

const texts = fc.constantFrom("", "a", "ab", "abc", "b", "zz");
const names = fc.constantFrom("a", "b", "c", "name");
const descriptions = fc.option(fc.constantFrom("one", "two"), { nil: undefined });

/** Schemas of single values, all of which the reference below supports. */
const scalars: fc.Arbitrary<z.ZodType> = fc.oneof(
  fc.tuple(fc.nat(2), fc.nat(2)).map(([min, more]) =>
    z
      .string()
      .min(min)
      .max(min + more),
  ),
  fc.constantFrom(z.string().regex(/^a/), z.string().regex(/a/).regex(/b$/), z.string().endsWith("c")),
  fc.tuple(fc.integer({ min: -3, max: 3 }), fc.nat(3)).map(([min, more]) =>
    z
      .int()
      .gte(min)
      .lt(min + more + 1),
  ),
  fc.constantFrom(z.number().gt(0), z.number().multipleOf(2), z.number().max(1.5)),
  fc.constantFrom(
    z.boolean(),
    z.literal("a"),
    z.enum(["a", "b"]),
    z.literal([1, 2]),
    z.union([z.literal("zz"), z.literal("b")]),
  ),
  fc.constant(z.union([z.int(), z.null()])),
);

/** Schemas that only have to be structural: with formats, rules and Kubernetes' own types. */
const special: fc.Arbitrary<z.ZodType> = fc.constantFrom<z.ZodType>(
  z.email(),
  z.uuidv4(),
  z.iso.datetime(),
  z.iso.duration(),
  z.int32(),
  z.json(),
  z.unknown(),
  intOrString(),
  quantity(),
  rule(z.string(), "self != ''"),
  listSet(z.array(z.string())),
  listMap(z.array(z.object({ key: z.string() })), ["key"]),
  z.looseObject({ a: z.int() }),
);

function schemas(leaves: fc.Arbitrary<z.ZodType>): fc.Arbitrary<z.ZodType> {
  const { any } = fc.letrec<{
    any: z.ZodType;
    object: z.ZodObject;
    fields: Record<string, z.ZodType>;
    field: z.ZodType;
  }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, depthSize: "small", withCrossShrink: true },
      leaves,
      tie("object"),
      tie("any").map((schema) => z.array(schema).max(2)),
      tie("any").map((schema) => z.record(z.string(), schema)),
      tie("any").map((schema) => z.partialRecord(z.enum(["a", "b"]), schema)),
      tie("any").map((schema) => z.lazy(() => schema).readonly()),
      fc.tuple(tie("any"), descriptions).map(([schema, text]) => (text ? schema.describe(text) : schema)),
      fc
        .tuple(tie("fields"), tie("fields"), tie("fields"))
        .map(([first, second, third]) =>
          z.discriminatedUnion("type", [option("x", first), option("y", second), option("z", third)]),
        ),
      fc
        .tuple(tie("fields"), tie("fields"))
        .map(([first, second]) => option("x", first).and(z.object(prefixed("y", second)))),
    ),
    object: tie("fields").map((fields) => z.object(fields)),
    fields: fc.dictionary(names, tie("field"), { maxKeys: 3, noNullPrototype: true }),
    field: fc.tuple(tie("any"), fc.boolean(), fc.boolean()).map(([schema, optional, nullable]) => {
      const inner = nullable && schema instanceof z.ZodObject ? schema.nullable() : schema;
      return optional ? inner.optional() : inner;
    }),
  }));
  return any;
}

const prefixed = (prefix: string, fields: Record<string, z.ZodType>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [`${prefix}-${name}`, schema]));

const option = <Tag extends string>(tag: Tag, fields: Record<string, z.ZodType>) =>
  z.object({ ...prefixed(tag, fields), type: z.literal(tag) });

/** Values similar to the schemas above, so that some of them are valid. */
const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<Json>(null, true, false, -1, 0, 1, 1.5, 2, 3, 4),
    texts,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(names, fc.constantFrom("x-a", "x-b", "y-a", "y-name", "z-a")), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    fc
      .tuple(
        fc.constantFrom("x", "y", "z", "w"),
        fc.dictionary(fc.constantFrom("x-a", "x-b", "y-a", "z-a"), tie("value"), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      )
      .map(([type, rest]) => Object.assign(rest, { type })),
  ),
})).value;

/** Reference implementation of the keywords that the conversion emits. */
function accepts(schema: StructuralSchema, value: Json): boolean {
  if (value === null && schema.nullable) return true;
  if (schema.type !== undefined && !hasType(schema.type, value)) return false;
  if (schema.enum && !schema.enum.some((choice) => jsonEqual(choice, value))) return false;
  if (schema.allOf?.every((part) => accepts(part, value)) === false) return false;
  if (schema.anyOf?.some((part) => accepts(part, value)) === false) return false;
  if (schema.oneOf && schema.oneOf.filter((part) => accepts(part, value)).length !== 1) return false;
  if (schema.not && accepts(schema.not, value)) return false;
  if (typeof value === "string") {
    const { minLength = 0, maxLength = Infinity, pattern = "" } = schema;
    return value.length >= minLength && value.length <= maxLength && new RegExp(pattern).test(value);
  }
  if (typeof value === "number") {
    const {
      minimum = -Infinity,
      maximum = Infinity,
      exclusiveMinimum,
      exclusiveMaximum,
      multipleOf,
    } = schema;
    const isInside =
      value >= minimum &&
      value <= maximum &&
      !(exclusiveMinimum && value === minimum) &&
      !(exclusiveMaximum && value === maximum);
    return isInside && (multipleOf === undefined || value % multipleOf === 0);
  }
  if (isJsonArray(value)) {
    const { items, maxItems = Infinity } = schema;
    return value.length <= maxItems && value.every((item) => !items || accepts(items, item));
  }
  if (!isJsonObject(value)) return true;
  const { properties = {}, additionalProperties, required = [] } = schema;
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return typeof inner !== "object" || accepts(inner, member);
    })
  );
}

function prune(schema: StructuralSchema, value: Json): Json {
  const { items, properties = {}, additionalProperties } = schema;
  if (isJsonArray(value)) return value.map((item) => (items ? prune(items, item) : item));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return typeof inner === "object" ? [[name, prune(inner, member)]] : [];
  });
  return Object.fromEntries(members);
}

function hasType(type: string, value: Json): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return isJsonArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}

/** Kubernetes checks completeness at the root only; our schemas are complete everywhere. */
function nodes(schema: StructuralSchema): StructuralSchema[] {
  const { items, properties = {}, additionalProperties } = schema;
  const below = [...Object.values(properties), ...(items ? [items] : [])];
  if (typeof additionalProperties === "object") below.push(additionalProperties);
  return [schema, ...below.flatMap(nodes)];
}

describe("any supported schema", () => {
  test("converts to a structural schema", () => {
    fc.assert(
      fc.property(schemas(fc.oneof(scalars, special)), (schema) => {
        const { schema: structural, problems } = toStructural(z.object({ field: schema }), "spec");
        expect(problems).toEqual([]);
        expect(checkStructural(structural)).toEqual([]);
        for (const node of nodes(structural)) {
          expect(
            checkStructural(node).filter(({ message }) => message.includes("because it is defined")),
          ).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  // zod drops a field that the matching option or record does not have; Kubernetes drops one that occurs nowhere in the
  // schema. So each gets only values that it keeps unchanged.
  test("accepts and rejects the same values as zod", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        schemas(scalars),
        fc.array(values, { minLength: 8, maxLength: 8 }),
        (schema, candidates) => {
          const { schema: structural } = toStructural(schema, "spec");
          for (const candidate of candidates) {
            const value = prune(structural, candidate);
            const parsed = schema.safeParse(value);
            const kept: Json = parsed.success ? JSON.parse(JSON.stringify(parsed.data)) : value;
            if (parsed.success) accepted++;
            expect({ structural, kept, accepted: accepts(structural, kept) }).toMatchObject({
              accepted: parsed.success,
            });
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
