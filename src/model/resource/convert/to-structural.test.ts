import { describe, expect, test } from "vitest";
import { z } from "zod";

import {
  atomic,
  embeddedResource,
  intOrString,
  listMap,
  listSet,
  preserve,
  quantity,
  rule,
} from "../markers.js";
import { checkStructural } from "../../schema/structural-check.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { toStructural } from "./to-structural.js";

function converted(schema: z.ZodType): StructuralSchema {
  const { schema: structural, problems } = toStructural(z.object({ field: schema }), "spec");
  expect(problems).toEqual([]);
  expect(checkStructural(structural)).toEqual([]);
  return structural.properties?.["field"] ?? {};
}

const anything = { "x-kubernetes-preserve-unknown-fields": true };
const named = z.object({ name: z.string(), size: z.int().optional() });
const namedSchema = {
  type: "object",
  properties: { name: { type: "string" }, size: { type: "integer" } },
  required: ["name"],
};

describe("toStructural", () => {
  test.each<[string, z.ZodType, object]>([
    ["string", z.string(), { type: "string" }],
    ["length", z.string().min(2).max(9), { type: "string", minLength: 2, maxLength: 9 }],
    [
      "the tightest length",
      z.string().min(2).min(4).length(5),
      { type: "string", minLength: 5, maxLength: 5 },
    ],
    ["regex", z.string().regex(/^a+$/), { type: "string", pattern: "^a+$" }],
    [
      "several patterns",
      z.string().regex(/a/).regex(/b/),
      { type: "string", pattern: "a", allOf: [{ pattern: "b" }] },
    ],
    ["startsWith", z.string().startsWith("a."), { type: "string", pattern: "^a\\..*" }],
    ["template", z.templateLiteral(["v", z.int()]), { type: "string", pattern: "^v-?\\d+$" }],
    ["email", z.email(), { type: "string", format: "email" }],
    ["email as a check", z.string().check(z.email()), { type: "string", format: "email" }],
    [
      "email with a pattern",
      z.email({ pattern: /@a$/ }),
      { type: "string", format: "email", pattern: "@a$" },
    ],
    ["url", z.url(), { type: "string", format: "uri" }],
    ["http url", z.httpUrl(), { type: "string", format: "uri", pattern: "^https?://" }],
    ["uuid", z.uuid(), { type: "string", format: "uuid" }],
    ["uuid of a version", z.uuidv4(), { type: "string", format: "uuid", pattern: z.regexes.uuid4.source }],
    ["ipv4", z.ipv4(), { type: "string", format: "ipv4" }],
    ["ipv6", z.ipv6(), { type: "string", format: "ipv6" }],
    ["cidr", z.cidrv4(), { type: "string", format: "cidr", pattern: "^[0-9.]+/" }],
    ["hostname", z.hostname(), { type: "string", format: "hostname" }],
    ["base64", z.base64(), { type: "string", format: "byte" }],
    ["date", z.iso.date(), { type: "string", format: "date" }],
    ["datetime", z.iso.datetime(), { type: "string", format: "date-time" }],
    ["datetime as a method", z.string().datetime(), { type: "string", format: "date-time" }],
    ["ulid, unknown to Kubernetes", z.ulid(), { type: "string", pattern: z.regexes.ulid.source }],
    [
      "two formats",
      z.email().check(z.url()),
      { type: "string", format: "email", allOf: [{ format: "uri" }] },
    ],
    ["number", z.number(), { type: "number" }],
    ["int", z.int(), { type: "integer" }],
    ["number().int()", z.number().int().min(1), { type: "integer", minimum: 1 }],
    ["int32", z.int32(), { type: "integer", format: "int32", minimum: -2147483648, maximum: 2147483647 }],
    ["uint32", z.uint32().max(9), { type: "integer", format: "int64", minimum: 0, maximum: 9 }],
    ["float", z.float32(), { type: "number", format: "float" }],
    [
      "exclusive bounds",
      z.number().min(0).gt(0).lt(5).max(9),
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    ],
    ["a tighter inclusive bound", z.number().gt(0).min(2), { type: "number", minimum: 2 }],
    [
      "multipleOf",
      z.number().multipleOf(2).multipleOf(3),
      { type: "number", multipleOf: 2, allOf: [{ multipleOf: 3 }] },
    ],
    ["boolean", z.boolean(), { type: "boolean" }],
    ["literal", z.literal("a"), { type: "string", enum: ["a"] }],
    ["enum", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["number literals", z.literal([1, 2]), { type: "integer", enum: [1, 2] }],
    [
      "union of literals",
      z.union([z.literal("a"), z.enum(["b", "a"])]),
      { type: "string", enum: ["a", "b"] },
    ],
    [
      "nested union of literals",
      z.union([z.union([z.literal(1), z.literal(2)]), z.literal(0.5)]),
      { type: "number", enum: [1, 2, 0.5] },
    ],
    ["nullable", z.string().nullable(), { type: "string", nullable: true }],
    ["union with null", z.union([z.int(), z.null()]), { type: "integer", nullable: true }],
    ["optional", z.string().optional(), { type: "string" }],
    ["default", z.int().default(3), { type: "integer", default: 3 }],
    ["prefault", z.int().prefault(3), { type: "integer", default: 3 }],
    ["default object", named.default({ name: "a" }), { ...namedSchema, default: { name: "a" } }],
    ["readonly", z.string().readonly(), { type: "string" }],
    ["describe", z.string().describe("a text").optional(), { type: "string", description: "a text" }],
    [
      "the outer word",
      z.string().describe("in").optional().describe("out"),
      { type: "string", description: "out" },
    ],
    [
      "meta",
      z.int().meta({ title: "T", example: 3, mine: true }),
      { type: "integer", title: "T", example: 3 },
    ],
    [
      "array",
      z.array(z.string()).min(1).max(4),
      { type: "array", items: { type: "string" }, minItems: 1, maxItems: 4 },
    ],
    ["object", named, namedSchema],
    ["empty object", z.object({}), { type: "object" }],
    [
      "strict object",
      z.strictObject({ a: z.int() }),
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
    ],
    [
      "loose object",
      z.looseObject({ a: z.int() }),
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"], ...anything },
    ],
    [
      "catchall without fields",
      z.object({}).catchall(z.int()),
      { type: "object", additionalProperties: { type: "integer" } },
    ],
    ["record", z.record(z.string(), z.int()), { type: "object", additionalProperties: { type: "integer" } }],
    [
      "record of keys",
      z.record(z.enum(["a"]), z.int()),
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
    ],
    [
      "partial record",
      z.partialRecord(z.enum(["a"]), z.int()),
      { type: "object", properties: { a: { type: "integer" } } },
    ],
    ["unknown", z.unknown(), anything],
    ["any", z.any(), anything],
    ["json", z.json().describe("whatever"), { ...anything, description: "whatever" }],
    ["lazy without recursion", z.lazy(() => z.string()), { type: "string" }],
    ["extend", z.object({ name: z.string() }).extend({ size: z.int().optional() }), namedSchema],
    ["intersection", z.object({ name: z.string() }).and(z.object({ size: z.int().optional() })), namedSchema],
    [
      "constructor as a field",
      z.object({ constructor: z.int() }),
      { type: "object", properties: { constructor: { type: "integer" } }, required: ["constructor"] },
    ],
    [
      "listMap",
      listMap(z.array(named), ["name"]),
      {
        type: "array",
        items: namedSchema,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    ],
    [
      "listSet",
      listSet(z.array(z.string())).max(3),
      { type: "array", items: { type: "string" }, maxItems: 3, "x-kubernetes-list-type": "set" },
    ],
    [
      "atomic list",
      atomic(z.array(z.string())),
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
    ],
    [
      "atomic map",
      atomic(z.record(z.string(), z.string())),
      { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
    ],
    ["preserve", preserve(named), { ...namedSchema, ...anything }],
    [
      "intOrString",
      intOrString().optional(),
      { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
    ],
    [
      "quantity",
      quantity(),
      {
        anyOf: [{ type: "integer" }, { type: "string" }],
        "x-kubernetes-int-or-string": true,
        pattern: expect.stringContaining("[KMGTPE]i"),
      },
    ],
    [
      "embeddedResource",
      embeddedResource(),
      {
        type: "object",
        properties: {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          metadata: { type: "object", properties: { name: { type: "string" } }, ...anything },
        },
        required: ["apiVersion", "kind"],
        "x-kubernetes-embedded-resource": true,
        ...anything,
      },
    ],
    [
      "rules, inside and outside of a wrapper",
      rule(rule(rule(z.string(), "self != 'a'", "not a"), "self != 'b'").optional(), "self != 'c'"),
      {
        type: "string",
        "x-kubernetes-validations": [
          { rule: "self != 'a'", message: "not a" },
          { rule: "self != 'b'" },
          { rule: "self != 'c'" },
        ],
      },
    ],
    [
      "refine with its rule",
      rule(
        z.string().refine((text) => text !== "a"),
        "self != 'a'",
      ),
      { type: "string", "x-kubernetes-validations": [{ rule: "self != 'a'" }] },
    ],
  ])("%s", (_name, schema, expected) => {
    expect(converted(schema)).toEqual(expected);
  });

  test("converts ISO durations to a pattern without lookahead", () => {
    const { pattern = "" } = converted(z.iso.duration());
    const ours = new RegExp(pattern);
    const texts = [
      "P",
      "PT",
      "P1",
      "P1D",
      "P1W",
      "P1W1D",
      "P1Y2M3D",
      "P1Y3D",
      "PT1H",
      "PT1M1.5S",
      "P1DT",
      "P1MT1M",
      "T1H",
      "P1D1Y",
      "PT1S",
    ];
    expect(texts.map((text) => ours.test(text))).toEqual(texts.map((text) => z.regexes.duration.test(text)));
  });

  test("marks only required fields as required", () => {
    const { schema } = toStructural(
      z.object({
        a: z.string(),
        b: z.string().optional(),
        c: z.string().default("x"),
        d: z.string().nullable(),
        e: z.string().nullish(),
        f: z.unknown(),
        g: z.string().optional().nonoptional(),
        h: z.string().default("x").readonly(),
      }),
      "spec",
    );
    expect(schema.required).toEqual(["a", "d", "f", "g"]);
  });
});

describe("discriminated unions", () => {
  const git = z.object({ type: z.literal("git"), url: z.url(), branch: z.string().optional() });
  const archive = z.object({ type: z.enum(["zip", "tar"]), url: z.url(), digest: z.string() });
  const none = z.strictObject({ type: z.literal("none") });

  test("become one object with oneOf per discriminator value", () => {
    expect(converted(z.discriminatedUnion("type", [git, archive, none]))).toEqual({
      type: "object",
      properties: {
        type: { type: "string", enum: ["git", "zip", "tar", "none"] },
        url: { type: "string", format: "uri" },
        branch: { type: "string" },
        digest: { type: "string" },
      },
      required: ["type"],
      oneOf: [
        { properties: { type: { enum: ["git"] } }, required: ["url"] },
        { properties: { type: { enum: ["zip", "tar"] } }, required: ["url", "digest"] },
        {
          properties: { type: { enum: ["none"] } },
          not: { anyOf: [{ required: ["url"] }, { required: ["branch"] }, { required: ["digest"] }] },
        },
      ],
    });
  });

  test("need no oneOf if no option has requirements of its own", () => {
    const on = z.object({ on: z.literal(true), since: z.iso.datetime().optional() });
    const off = z.object({ on: z.literal(false) });
    expect(converted(z.discriminatedUnion("on", [on, off]))).toEqual({
      type: "object",
      properties: {
        on: { type: "boolean", enum: [true, false] },
        since: { type: "string", format: "date-time" },
      },
      required: ["on"],
    });
  });

  test("may be nested and intersected", () => {
    const a = z.object({ type: z.literal("a"), mode: z.literal("x"), x: z.int() });
    const b = z.object({ type: z.literal("a"), mode: z.literal("y"), y: z.int() });
    const nested = z.discriminatedUnion("type", [z.discriminatedUnion("mode", [a, b]), none]);
    const schema = converted(z.object({ name: z.string() }).and(nested));
    expect(Object.keys(schema.properties ?? {})).toEqual(["name", "type", "mode", "x", "y"]);
    expect(schema.oneOf?.[0]?.oneOf).toHaveLength(2);
  });

  test("share a default that every option has", () => {
    const a = z.object({ type: z.literal("a"), size: z.int().default(1) });
    const b = z.object({ type: z.literal("b"), size: z.int().default(1) });
    expect(converted(z.discriminatedUnion("type", [a, b])).properties?.["size"]).toEqual({
      type: "integer",
      default: 1,
    });
  });
});
