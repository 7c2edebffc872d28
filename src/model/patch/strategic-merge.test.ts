import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { PatchError } from "./patch-error.js";
import { applyStrategicMergePatch, type PatchSchema, patchSchemaOf } from "./strategic-merge.js";

/** Every field is a list that is merged by `k`, or an object, all the way down. */
const endless: PatchSchema = {
  field: () => endless,
  item: () => endless,
  strategy: ["merge"],
  mergeKey: "k",
};
const unknown: PatchSchema = { field: () => undefined, item: () => undefined, strategy: [] };

const parse = (json: string): Json => JSON.parse(json) as Json;

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

const name = fc.constantFrom("a", "k", "__proto__", "constructor", "$patch", "$retainKeys", "x");
const directive = fc.constantFrom("$setElementOrder", "$deleteFromPrimitiveList", "$setElementOrder/a");
const key = fc.oneof(
  { weight: 5, arbitrary: name },
  directive,
  fc.constantFrom("$setElementOrder/k", "$deleteFromPrimitiveList/a", "$deleteFromPrimitiveList/__proto__"),
);
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", maxDepth: 6 },
    fc.constantFrom<Json[]>(null, true, 1, 1.5, "a", "b", "delete", "replace", "merge"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
  ),
}));

describe("any input", () => {
  test("returns a result or throws a PatchError, and modifies nothing", () => {
    fc.assert(
      fc.property(anyValue, anyValue, fc.constantFrom(endless, unknown), (original, patch, schema) => {
        deepFreeze(original);
        deepFreeze(patch);
        try {
          const result = applyStrategicMergePatch(original, patch, schema);
          expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("an empty patch changes nothing", () => {
    fc.assert(
      fc.property(fc.dictionary(name, anyValue), (original) => {
        expect(applyStrategicMergePatch(original, {}, endless)).toEqual(original);
      }),
    );
  });

  test.each([
    ["[]", "{}"],
    ["{}", "[]"],
    ["{}", "null"],
    ["null", "{}"],
  ])("rejects %s and %s, which are not both objects", (original, patch) => {
    expect(() => applyStrategicMergePatch(parse(original), parse(patch), endless)).toThrow(
      new PatchError("malformed", "invalid JSON document"),
    );
  });

  test("rejects lists with nulls, and objects without a merge key", () => {
    const lists: PatchSchema = { ...unknown, field: () => ({ ...unknown, strategy: ["merge"] }) };
    const apply = (original: Json, patch: Json) => () => applyStrategicMergePatch(original, patch, lists);
    expect(apply({ x: [null] }, { x: [null] })).toThrow("list element types are not identical");
    expect(apply({ x: [{ a: 1 }] }, { x: [{ a: 2 }] })).toThrow("cannot merge lists without merge key");
    expect(apply({ x: [{ a: 1 }] }, { "$setElementOrder/x": [{ a: 1 }] })).toThrow("setElementOrder");
    expect(apply({ x: [{ a: 1 }] }, { "$deleteFromPrimitiveList/x": [{ a: 1 }] })).toThrow("primitive list");
    expect(() => applyStrategicMergePatch({ x: [1] }, { "$setElementOrder/x": [1] }, unknown)).toThrow(
      'unable to find api field "x"',
    );
  });

  test("accepts $setElementOrder with empty lists", () => {
    expect(applyStrategicMergePatch({ x: [] }, { "$setElementOrder/x": [] }, endless)).toEqual({ x: [] });
    expect(applyStrategicMergePatch({}, { x: [], "$setElementOrder/x": [] }, endless)).toEqual({ x: [] });
  });
});

describe("limits", () => {
  test("rejects deep patches", () => {
    const limit = expect.objectContaining({ kind: "limit" }) as Error;
    expect(() => applyStrategicMergePatch(nested(2000), nested(2000), endless)).toThrow(limit);
    expect(() => applyStrategicMergePatch({}, nested(2000), endless)).toThrow(limit);
    expect(applyStrategicMergePatch(nested(900), nested(900), endless)).toEqual(nested(900));
  });

  test("merges large lists in linear time", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ k: index }));
    const result = applyStrategicMergePatch({ x: items }, { x: items.toReversed() }, endless);
    expect(result).toEqual({ x: items.toReversed() });
  });

  test("truncates values in messages", () => {
    const patch = { x: [{ long: "y".repeat(100_000) }] };
    expect(() => applyStrategicMergePatch({ x: [] }, patch, endless)).toThrow(/^map: map\[long:y{900,1100}…/);
  });
});

test("treats __proto__ as an ordinary field", () => {
  const original = parse('{"data":{"__proto__":{"a":1}},"list":[{"k":"__proto__"}]}');
  const patch = parse('{"data":{"__proto__":{"b":2}},"list":[{"k":"__proto__","__proto__":{"c":3}}]}');
  expect(JSON.stringify(applyStrategicMergePatch(original, patch, endless))).toBe(
    '{"data":{"__proto__":{"a":1,"b":2}},"list":[{"k":"__proto__","__proto__":{"c":3}}]}',
  );
});

describe("patchSchemaOf", () => {
  const extension = (strategy: unknown, mergeKey?: unknown): StructuralSchema =>
    Object.assign({} as StructuralSchema, {
      "x-kubernetes-patch-strategy": strategy,
      "x-kubernetes-patch-merge-key": mergeKey,
    });

  test.each([
    [extension("merge", "name"), ["merge"], "name"],
    [extension("merge,retainKeys", "name"), ["merge", "retainKeys"], "name"],
    [extension("retainKeys"), ["retainKeys"], undefined],
    [extension("replace,nonsense", ""), ["replace"], undefined],
    [extension(7, {}), [], undefined],
    [{}, [], undefined],
  ])("%j", (node, strategy, mergeKey) => {
    expect(patchSchemaOf(node)).toMatchObject({ strategy });
    expect(patchSchemaOf(node).mergeKey).toBe(mergeKey);
  });

  test("finds fields, entries of maps and items", () => {
    const entry: StructuralSchema = { type: "object", items: extension("merge") };
    const found = patchSchemaOf({ properties: { a: entry }, additionalProperties: extension("replace") });
    expect(found.field("a")).toBe(patchSchemaOf(entry));
    expect(found.field("a")?.item()?.strategy).toEqual(["merge"]);
    expect(found.field("constructor")?.strategy).toEqual(["replace"]);
    expect(patchSchemaOf({ additionalProperties: true }).field("a")).toBeUndefined();
    expect(patchSchemaOf({ properties: {} }).field("toString")).toBeUndefined();
    expect(patchSchemaOf({}).item()).toBeUndefined();
  });

  test("supports recursive schemas", () => {
    const properties: Record<string, StructuralSchema> = {};
    const node: StructuralSchema = { type: "object", properties };
    properties["self"] = node;
    expect(patchSchemaOf(node).field("self")?.field("self")).toBe(patchSchemaOf(node));
  });

  test("replaces an object with strategy replace", () => {
    const schema: StructuralSchema = { properties: { a: extension("replace") } };
    expect(applyStrategicMergePatch({ a: { b: 1 } }, { a: { c: null } }, patchSchemaOf(schema))).toEqual({
      a: { c: null },
    });
  });
});
