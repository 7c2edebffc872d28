import { describe, expect, test } from "vitest";

import { renderFieldError } from "../../object/field-errors.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { compileSchema } from "../compile-schema.js";

const short: StructuralSchema = { type: "string", maxLength: 1 };
const changed = (spec: StructuralSchema, now: unknown, before: unknown): string[] =>
  compileSchema({ type: "object", properties: { spec } })
    .validate({ spec: now }, { spec: before })
    .map(({ field }) => field);

const object = (properties: Record<string, StructuralSchema>, more: object = {}): StructuralSchema => ({
  type: "object",
  properties,
  ...more,
});
const items = object({ n: { type: "string" }, a: short });
const byName: StructuralSchema = {
  type: "array",
  items,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["n"],
};

describe("ratcheting of unchanged values", () => {
  test.each<[string, StructuralSchema, unknown, unknown, string[]]>([
    ["a field", object({ a: short, b: short }), { a: "xx", b: "y" }, { a: "xx", b: "z" }, []],
    ["another field", object({ a: short, b: short }), { a: "xx", b: "yy" }, { a: "xx", b: "z" }, ["spec.b"]],
    ["a new field", object({ a: short }), { a: "xx" }, {}, ["spec.a"]],
    ["a whole object", object({ a: short }, { required: ["b"] }), { a: "x" }, { a: "x" }, []],
    ["less than the whole", object({ a: short }, { required: ["b"] }), { a: "x" }, { a: "y" }, ["spec.b"]],
    [
      "an entry of a map",
      { type: "object", additionalProperties: short },
      { a: "xx", b: "" },
      { a: "xx" },
      [],
    ],
    ["a type", object({ a: short, b: short }), { a: 1, b: "x" }, { a: 1 }, []],
    ["a whole list", { type: "array", items: short }, ["xx"], ["xx"], []],
    ["an item of a list", { type: "array", items: short }, ["xx", "y"], ["xx"], ["spec[0]"]],
    [
      "an item of a set",
      { type: "array", items: short, "x-kubernetes-list-type": "set" },
      ["xx", "y"],
      ["xx"],
      ["spec[0]"],
    ],
    ["an item with a key", byName, [{ n: "2" }, { n: "1", a: "xx" }], [{ n: "1", a: "xx" }], []],
    ["a field of an item with a key", byName, [{ n: "1", a: "xx", b: 1 }], [{ n: "1", a: "xx" }], []],
    ["an item with another key", byName, [{ n: "2", a: "xx" }], [{ n: "1", a: "xx" }], ["spec[0].a"]],
    [
      "the order of items with keys",
      { ...byName, maxItems: 1 },
      [{ n: "1" }, { n: "2" }],
      [{ n: "2" }, { n: "1" }],
      [],
    ],
    [
      "undeclared fields",
      object({}, { "x-kubernetes-preserve-unknown-fields": true, required: ["b"] }),
      { x: 1 },
      { x: 1 },
      ["spec.b"],
    ],
    [
      "what another schema says",
      object({ a: { type: "string" }, b: short }, { allOf: [{ properties: { a: { maxLength: 1 } } }] }),
      { a: "xx", b: "1" },
      { a: "xx", b: "2" },
      ["spec.a", "<nil>"],
    ],
    ["null", object({ a: short, b: short }), { a: null, b: "1" }, { a: null, b: "2" }, []],
  ])("%s", (_, schema, now, before, expected) => {
    expect(changed(schema, now, before)).toEqual(expected);
  });

  test("ignores apiVersion and kind, which depend on the version of the request", () => {
    const schema = compileSchema({ type: "object", properties: { kind: short, spec: short } });
    const object = { kind: "Kind", spec: "xx" };
    expect(schema.validate({ ...object, extra: 1 }, object).map(({ field }) => field)).toEqual(["kind"]);
  });

  test("validates the status alone like an object of its own", () => {
    const status = object({ a: short, kind: short }, { oneOf: [{ required: ["a"] }] });
    const schema = compileSchema({ type: "object", properties: { spec: short, status }, required: ["more"] });
    const faults = (now: object, before?: object): string[] =>
      schema.validate(now, before, { statusOnly: true }).map(renderFieldError);
    const old = { spec: "xx", status: { a: "xx", kind: "Kind" } };
    expect(faults({ spec: "xx" }, old)).toEqual([]);
    expect(faults({ spec: "xx", status: { a: "xx", b: "" } }, old)).toEqual([]);
    expect(faults({ ...old, status: { ...old.status, b: "" } }, old)).toEqual([
      "status.kind: Too long: may not be more than 1 byte",
    ]);
    expect(faults({ status: {} }, old)).toEqual([
      'status: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      "status.a: Required value",
    ]);
    expect(faults({ status: { a: 1 } })).toEqual([
      'status.a: Invalid value: "integer": a in body must be of type string: "integer"',
    ]);
  });

  test("does not compare valid values with old ones", () => {
    const schema = object({ a: { type: "string" } }, { not: { properties: { a: { enum: ["x"] } } } });
    expect(changed(schema, { a: "y", b: 2 }, { a: "y" })).toEqual([]);
  });
});
