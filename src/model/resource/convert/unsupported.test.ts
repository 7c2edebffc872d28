import { describe, expect, test } from "vitest";
import { z } from "zod";

import { DefinitionError } from "./definition-error.js";
import { rule } from "../markers.js";
import { resource } from "../resource.js";

interface Tree {
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({ children: z.array(z.lazy(() => tree)) });
const growing = (): z.ZodType => z.object({ inner: z.lazy(growing) });
let count = 0;

const a = z.object({ type: z.literal("a"), size: z.int() });
const b = z.object({ type: z.literal("b"), size: z.string() });

/** Every problem that conversion reports: schema of the field `at`, path, message and fix. */
const unsupported: [name: string, schema: z.core.$ZodType, path: string, message: string, fix: string][] = [
  ["date", z.date(), "", "z.date() cannot be stored as JSON", "z.iso.datetime() and parse it in reconcile"],
  ["bigint", z.bigint(), "", "z.bigint() cannot be stored", "z.int()"],
  ["map", z.map(z.string(), z.string()), "", "z.map() cannot be stored", "z.record(z.string(), …)"],
  ["set", z.set(z.string()), "", "z.set() cannot be stored", "listSet"],
  ["a schema of another library", JSON.parse("{}"), "", "not a zod 4 schema", 'import { z } from "zod"'],
  ["symbol", z.symbol(), "", "z.symbol() cannot be stored", "z.literal()"],
  ["undefined", z.undefined(), "", "z.undefined() cannot be stored", ".optional()"],
  ["void", z.void(), "", "z.void() cannot be stored", "leave the field out"],
  ["nan", z.nan(), "", "z.nan() cannot be stored", "z.number().optional()"],
  ["function", z.function(), "", "z.function() cannot be stored", "into reconcile"],
  [
    "unsupported inside an intersection",
    z.custom<never>().and(z.unknown()),
    "",
    "z.custom() is not supported",
    "cel",
  ],
  ["promise", z.promise(z.string()), "", "z.promise() cannot be stored", "resolves to"],
  ["file", z.file(), "", "z.file() cannot be stored", "z.url()"],
  ["never", z.never(), "", "z.never() is not supported", "leave the field out"],
  ["null", z.null(), "", "z.null() on its own", ".nullable()"],
  [
    "tuple",
    z.tuple([z.string()]),
    "",
    "z.tuple() is not supported",
    "z.object() with a named field per position",
  ],
  ["custom", z.custom<string>(), "", "z.custom() is not supported", "rule(schema, cel, message)"],
  ["catch", z.string().catch("a"), "", ".catch() is not supported", ".default()"],
  ["transform", z.string().transform(Number), "", "a pipe (.transform()", "convert it in reconcile"],
  ["pipe", z.string().pipe(z.email()), "", "a pipe", "values are read as they are stored"],
  ["codec", z.stringbool(), "", "a pipe", "values are read as they are stored"],
  ["preprocess", z.preprocess(String, z.string()), "", "a pipe", "values are read as they are stored"],
  ["bare transform", z.transform(String), "", "z.transform() is not supported", "convert it in reconcile"],
  ["coerce", z.coerce.number(), "", "z.coerce converts the value", "z.number() instead of z.coerce.number()"],
  ["trim", z.string().trim(), "", "a check that changes the value", ".regex()"],
  ["refine", z.string().refine(Boolean), "", ".refine() and other checks", "use a CEL rule"],
  ["superRefine", z.object({}).superRefine(() => {}), "", ".refine() and other checks", "CEL rule"],
  [
    "property check",
    z.object({ a: z.string() }).check(z.property("a", z.string())),
    "",
    "a check on a property",
    "own schema",
  ],
  ["recursion", tree, ".children[]", "is recursive", "z.json()"],
  ["recursion without end", growing(), ".inner".repeat(32), "is recursive", "z.json()"],
  [
    "union",
    z.union([z.string(), z.number()]),
    "",
    "only if a discriminator tells its options apart",
    "z.discriminatedUnion(…)",
  ],
  [
    "union of int and string",
    z.union([z.int(), z.string()]),
    "",
    "only if a discriminator tells",
    "intOrString()",
  ],
  ["mixed literals", z.literal(["a", 1]), "", "must have one type", "use strings"],
  [
    "null among literals",
    z.literal(["a", null]),
    "",
    "must have one type",
    "remove null and use .optional()",
  ],
  ["bigint literal", z.literal(1n), "", "must have one type", "use strings"],
  ["empty enum", z.enum([]), "", "matches nothing", "z.enum"],
  ["nullable enum", z.enum(["a"]).nullable(), "", "rejects null", ".optional() instead of .nullable()"],
  [
    "intersection",
    z.intersection(z.string(), z.string()),
    "",
    "both sides are plain objects",
    "a.extend(b.shape)",
  ],
  [
    "intersection in conflict",
    z.intersection(z.object({ x: z.int() }), z.object({ x: z.string() })),
    ".x",
    "declared with different schemas",
    "use different names",
  ],
  [
    "options in conflict",
    z.discriminatedUnion("type", [a, b]),
    ".size",
    "declared with different schemas",
    "declare it the same",
  ],
  [
    "option with a rule",
    z.discriminatedUnion("type", [rule(a, "self.size > 1")]),
    "",
    "not a plain object",
    "self.type != 'a' ||",
  ],
  [
    "default in one option",
    z.discriminatedUnion("type", [a, z.object({ type: z.literal("c"), speed: z.int().default(1) })]),
    ".speed",
    "would also be applied to the other options",
    "declare the field in every option",
  ],
  [
    "discriminators of two types",
    z.discriminatedUnion("type", [a, z.object({ type: z.literal(1) })]),
    ".type",
    "the discriminator must be a literal or enum in every option",
    'type: z.literal("…")',
  ],
  [
    "optional discriminator",
    z.discriminatedUnion("type", [a, z.object({ type: z.literal("c").optional() })]),
    ".type",
    "and required",
    "z.literal",
  ],
  [
    "optional item",
    z.array(z.string().optional()),
    "[]",
    "cannot be optional",
    "remove .optional() or .default()",
  ],
  [
    "default of a map value",
    z.record(z.string(), z.int().default(1)),
    ".*",
    "cannot be optional",
    "remove .optional()",
  ],
  [
    "checked keys",
    z.record(z.string().min(2), z.int()),
    "",
    "cannot restrict the keys of a map",
    "self.all(key, key.matches",
  ],
  ["number keys", z.record(z.number(), z.int()), "", "cannot restrict the keys of a map", "use z.string()"],
  [
    "catchall beside fields",
    z.object({ x: z.int() }).catchall(z.int()),
    "",
    "both named fields and a schema",
    "z.record(z.string(), …)",
  ],
  [
    "__proto__",
    z.object({ ["__proto__"]: z.string() }),
    ".__proto__",
    "cannot have this name",
    "another name",
  ],
  ["look-ahead", z.string().regex(/a(?=b)/), "", '"(?="', "without it"],
  ["reference back", z.string().regex(/(a)\1/), "", '"\\1" (back-reference)', "without it"],
  ["regex flag", z.string().regex(/a/i), "", 'flag "i"', "without it"],
  ["emoji", z.emoji(), "", "not supported by Kubernetes", "rule(schema"],
  ["jwt", z.jwt(), "", 'the string format "jwt" is checked by code', "z.string().regex(…)"],
  [
    "string format by code",
    z.stringFormat("mine", () => true),
    "",
    '"mine" is checked by code',
    "plain z.string()",
  ],
  ["url with a host", z.url({ hostname: /^a$/ }), "", "z.url() with protocol, hostname", "z.httpUrl()"],
  ["multipleOf zero", z.number().multipleOf(0), "", "cannot be a multiple of 0", "above 0"],
  [
    "default that does not fit",
    z.int().prefault(1.5),
    "",
    "does not match its own schema",
    "matches the schema",
  ],
  ["default of null", z.string().nullable().default(null), "", "null as no default", ".nullish()"],
  ["default that changes", z.int().default(() => ++count), "", "differs each time", "fill it in reconcile"],
  [
    "default that is not JSON",
    z.unknown().default(new Date(0)),
    "",
    "the default is not JSON",
    "strings, numbers",
  ],
  [
    "default with a field too many",
    z.object({ x: z.int() }).default(JSON.parse('{"x":1,"y":2}')),
    "",
    'the field "y"',
    "remove it",
  ],
  [
    "misspelled keyword",
    z.string().meta({ "x-kubernetes-lisst-type": "set" }),
    "",
    '"x-kubernetes-lisst-type"',
    "spelling",
  ],
  [
    "what Kubernetes would reject",
    z.string().meta({ "x-kubernetes-list-type": "set" }),
    ".type",
    'Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    "correct .meta()",
  ],
];

function definitionError(define: () => unknown): DefinitionError {
  try {
    define();
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error("nothing was rejected");
}

describe("rejected by resource()", () => {
  test.each(unsupported)("%s", (_name, schema, path, message, fix) => {
    const error = definitionError(() => resource("demo.dev/v1", "Site", { spec: z.object({ at: schema }) }));
    expect(error.problems).toHaveLength(1);
    expect(error.problems[0]).toEqual({
      path: `spec.at${path}`,
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    });
    expect(error.message).toMatch(/^Site: spec\.at/);
  });

  test("all problems in one error", () => {
    const spec = z.object({ schedule: z.object({ start: z.date() }), tags: z.array(z.set(z.string())) });
    expect(() => resource("demo.dev/v1", "Site", { spec, shortNames: ["Bad"] })).toThrow(
      /^Site has 3 problems:\n {2}shortNames\[0\]: .*\n {2}spec\.schedule\.start: .*\n {2}spec\.tags\[\]: /,
    );
  });
});
