import { describe, expect, test } from "vitest";

import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { compileSchema } from "./compile-schema.js";

const keep = { "x-kubernetes-preserve-unknown-fields": true } as const;
const text: StructuralSchema = { type: "string" };
const object = (properties: Record<string, StructuralSchema>, more: object = {}): StructuralSchema => ({
  type: "object",
  properties,
  ...more,
});
const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe("prune", () => {
  test.each<[string, StructuralSchema, Json, Json, string[]]>([
    ["unknown fields", object({ a: text }), { a: "x", b: 1 }, { a: "x" }, ["spec.b"]],
    [
      "in lists",
      { type: "array", items: object({ a: text }) },
      [{ a: "x" }, { b: 1, a: "y" }],
      [{ a: "x" }, { a: "y" }],
      ["spec[1].b"],
    ],
    [
      "in maps",
      { type: "object", additionalProperties: object({ a: text }) },
      { k: { b: 1 } },
      { k: {} },
      ["spec.k.b"],
    ],
    ["sorted", object({}), { z: 1, a: 1 }, {}, ["spec.a", "spec.z"]],
    ["nothing that is kept", { ...keep }, { b: [{ c: 1 }] }, { b: [{ c: 1 }] }, []],
    [
      "below what is kept, where it is described",
      object({ a: object({ x: text }) }, keep),
      { a: { y: 1 }, b: { y: 1 } },
      { a: {}, b: { y: 1 } },
      ["spec.a.y"],
    ],
    [
      "nothing in items of a list that keeps",
      { type: "array", items: object({ a: object({}) }), ...keep },
      [{ b: 1, a: { c: 1 } }],
      [{ b: 1, a: {} }],
      ["spec[0].a.c"],
    ],
    [
      "what is allowed without being described",
      { type: "object", additionalProperties: true },
      { a: { b: 1 }, c: [{ d: 1 }], e: 1 },
      { a: {}, c: [{}], e: 1 },
      ["spec.a.b", "spec.c[0].d"],
    ],
    ["nothing of the wrong type", object({ a: object({}) }), { a: "text" }, { a: "text" }, []],
    [
      "not int-or-string",
      object({ a: { "x-kubernetes-int-or-string": true } }),
      { a: "50%" },
      { a: "50%" },
      [],
    ],
    [
      "metadata of embedded resources",
      {
        type: "object",
        additionalProperties: { type: "object", "x-kubernetes-embedded-resource": true, ...keep },
      },
      { k: { apiVersion: "v1", kind: "K", data: 1, metadata: { name: "x", foo: 1, labels: {} } } },
      { k: { apiVersion: "v1", kind: "K", data: 1, metadata: { name: "x" } } },
      ["spec[k].metadata.foo"],
    ],
    [
      "all else of embedded resources",
      object({ data: text }, { "x-kubernetes-embedded-resource": true }),
      { apiVersion: "v1", kind: "K", metadata: null, data: "x", more: 1 },
      { apiVersion: "v1", kind: "K", metadata: {}, data: "x" },
      ["spec.more"],
    ],
  ])("%s", (_, schema, value, expected, unknown) => {
    const root = { spec: copy(value) };
    expect(compileSchema(object({ spec: schema })).prune(root)).toEqual(unknown);
    expect(root).toEqual({ spec: expected });
  });

  test("removes unknown and empty fields of metadata", () => {
    const root = {
      apiVersion: "v1",
      kind: "K",
      other: 1,
      metadata: {
        name: "x",
        Name: "y",
        foo: 1,
        labels: {},
        annotations: { any: "thing" },
        creationTimestamp: null,
        deletionGracePeriodSeconds: 0,
        ownerReferences: [{ name: "a", controller: false, bar: 1 }],
        managedFields: [{ manager: "m", fieldsV1: { "f:a": {} }, extra: 1 }],
      },
    };
    expect(compileSchema(object({})).prune(root)).toEqual([
      "metadata.Name",
      "metadata.foo",
      "metadata.managedFields[0].extra",
      "metadata.ownerReferences[0].bar",
      "other",
    ]);
    expect(root).toEqual({
      apiVersion: "v1",
      kind: "K",
      metadata: {
        name: "x",
        annotations: { any: "thing" },
        deletionGracePeriodSeconds: 0,
        ownerReferences: [{ name: "a", controller: false }],
        managedFields: [{ manager: "m", fieldsV1: { "f:a": {} } }],
      },
    });
  });

  test("leaves metadata that is not an object alone", () => {
    for (const metadata of ["x", 5, [], [{ foo: 1 }], { ownerReferences: "x", labels: 5 }]) {
      const root = { metadata: copy(metadata) };
      expect(compileSchema(object({})).prune(root)).toEqual([]);
      expect(root).toEqual({ metadata });
    }
  });

  test("prunes metadata of built-in kinds by their schema", () => {
    const schema = compileSchema(object({ metadata: object({ name: text }) }), { builtIn: true });
    const root = { apiVersion: "v1", metadata: { name: "x", labels: { a: "b" } } };
    expect(schema.prune(root)).toEqual(["apiVersion", "metadata.labels"]);
    expect(root).toEqual({ metadata: { name: "x" } });
  });

  test("treats __proto__ and constructor as ordinary names", () => {
    const properties = JSON.parse('{"__proto__":{"type":"object"}}') as Record<string, StructuralSchema>;
    const root = JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":{"b":1}},"__proto__":1}') as object;
    expect(compileSchema(object({ spec: object(properties) })).prune(root)).toEqual([
      "__proto__",
      "spec.__proto__.a",
      "spec.constructor",
    ]);
    expect(JSON.stringify(root)).toBe('{"spec":{"__proto__":{}}}');
  });
});
