import { describe, expect, test } from "vitest";
import type { Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { fieldSetOf } from "./field-set-of.js";
import { objectType } from "./field-type.js";
import { typeFaults } from "./type-faults.js";

const text: StructuralSchema = { type: "string" };

function fieldsOf(schema: StructuralSchema, value: Json): Json {
  return (
    fieldSetOf({ spec: value }, objectType({ type: "object", properties: { spec: schema } }))["f:spec"] ?? {}
  );
}

describe("objectType", () => {
  test("is cached per schema", () => {
    const schema: StructuralSchema = { type: "object" };
    expect(objectType(schema)).toBe(objectType(schema));
  });

  test("supports recursive schemas", () => {
    const properties: Record<string, StructuralSchema> = { name: text };
    const node: StructuralSchema = { type: "object", properties };
    properties["child"] = node;
    expect(fieldsOf(node, { child: { child: { name: "x" } } })).toEqual({
      "f:child": { "f:child": { "f:name": {} } },
    });
  });

  test("reads patch strategies of built-in kinds", () => {
    const items: StructuralSchema = { type: "object", properties: { name: text } };
    const list = { type: "array", items, "x-kubernetes-patch-strategy": "merge,retainKeys" } as const;
    expect(
      fieldsOf({ ...list, "x-kubernetes-patch-merge-key": "name" } as StructuralSchema, [{ name: "x" }]),
    ).toEqual({
      'k:{"name":"x"}': { ".": {}, "f:name": {} },
    });
    expect(fieldsOf({ type: "array", items }, [{ name: "x" }])).toEqual({});
  });

  test("allows unknown fields below a node that preserves them", () => {
    const inner: StructuralSchema = { type: "object", properties: { known: text } };
    const schema: StructuralSchema = { type: "object", properties: { inner } };
    const faults = (preserve: boolean): string[] => {
      const spec = { ...schema, "x-kubernetes-preserve-unknown-fields": preserve };
      const type = objectType({ type: "object", properties: { spec } });
      return typeFaults({ spec: { inner: { other: 1 } } }, type);
    };
    expect(faults(true)).toEqual([]);
    expect(faults(false)).toEqual([".spec.inner.other: field not declared in schema"]);
  });

  test("uses one type of metadata for all kinds", () => {
    const type = objectType({
      type: "object",
      properties: { metadata: { type: "object", properties: { name: text } } },
    });
    const metadata = {
      labels: { a: "1" },
      finalizers: ["f"],
      ownerReferences: [{ uid: "u", name: "n", kind: "K", apiVersion: "v1" }],
    };
    expect(typeFaults({ apiVersion: "v1", kind: "K", metadata }, type)).toEqual([]);
    expect(fieldSetOf({ metadata }, type)).toEqual({
      "f:metadata": {
        "f:finalizers": { 'v:"f"': {} },
        "f:labels": { "f:a": {} },
        "f:ownerReferences": { 'k:{"uid":"u"}': {} },
      },
    });
  });

  test("reports several faults together", () => {
    const type = objectType({ type: "object", properties: { spec: text } });
    expect(typeFaults({ spec: 1, other: 2 }, type)).toEqual([
      ".spec: expected string, got &value.valueUnstructured{Value:1}",
      ".other: field not declared in schema",
    ]);
  });
});
