import { describe, expect, test } from "vitest";
import type { StructuralSchema } from "../../../model/core.js";
import { parseIdl } from "../idl/parse-idl.js";
import type { StructType } from "../idl/type-definition.js";
import { allTypes, findBuiltInKind, findType } from "../types.js";
import { structSchema } from "./build-schema.js";
import { patchStrategyOf, structOf } from "./schema-node.js";

function kind(apiVersion: string, name: string): StructType {
  const struct = findBuiltInKind(apiVersion, name);
  if (struct === undefined) throw new Error(`no ${name}`);
  return struct;
}

/** The node at a path of properties; `[]` are the items of a list, `{}` the values of a map. */
function at(schema: StructuralSchema, ...path: readonly string[]): StructuralSchema {
  let node: StructuralSchema | undefined = schema;
  for (const name of path) {
    if (name === "[]") node = node.items;
    else if (name === "{}") node = node.additionalProperties as StructuralSchema;
    else node = node.properties?.[name];
    if (node === undefined) throw new Error(`nothing at ${path.join(".")}`);
  }
  return node;
}

const configMap = structSchema(kind("v1", "ConfigMap"));
const namespace = structSchema(kind("v1", "Namespace"));
const account = structSchema(kind("v1", "ServiceAccount"));
const definition = structSchema(kind("apiextensions.k8s.io/v1", "CustomResourceDefinition"));

describe("nodes", () => {
  test("list the fields of a kind", () => {
    expect(Object.keys(configMap.properties ?? {})).toEqual([
      "apiVersion",
      "kind",
      "metadata",
      "immutable",
      "data",
      "binaryData",
    ]);
    expect(at(configMap, "data")).toMatchObject({ type: "object", additionalProperties: { type: "string" } });
    expect(at(configMap, "binaryData", "{}")).toMatchObject({ type: "string", format: "byte" });
    expect(at(configMap, "immutable")).toMatchObject({ type: "boolean" });
    expect(at(structSchema(kind("v1", "Secret")), "type").default).toBe("Opaque");
  });

  test("are shared by all uses of a type", () => {
    expect(at(configMap, "metadata")).toBe(at(namespace, "metadata"));
    expect(structOf(configMap)).toBe(kind("v1", "ConfigMap"));
    expect(structOf(at(configMap, "metadata"))).toBe(findType("meta/v1", "ObjectMeta"));
    expect(structOf(at(account, "secrets", "[]"))).toBe(findType("core/v1", "ObjectReference"));
    expect(structOf(at(configMap, "data"))).toBeUndefined();
  });

  test("list required fields", () => {
    expect(structSchema(kind("v1", "Event")).required).toEqual(["metadata", "involvedObject"]);
    expect(structSchema(kind("events.k8s.io/v1", "Event")).required).toEqual(["eventTime"]);
    expect(at(configMap, "metadata", "ownerReferences", "[]").required).toEqual([
      "apiVersion",
      "kind",
      "name",
      "uid",
    ]);
    expect(configMap.required).toBeUndefined();
  });

  test("carry list and map types", () => {
    const meta = at(configMap, "metadata");
    expect(at(meta, "ownerReferences")).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    });
    expect(at(meta, "ownerReferences", "[]")["x-kubernetes-map-type"]).toBe("atomic");
    expect(at(meta, "finalizers")["x-kubernetes-list-type"]).toBe("set");
    expect(at(namespace, "spec", "finalizers")["x-kubernetes-list-type"]).toBe("atomic");
    expect(at(namespace, "status", "conditions")["x-kubernetes-list-map-keys"]).toEqual(["type"]);
  });

  test("carry patch strategies", () => {
    const meta = at(configMap, "metadata");
    expect(patchStrategyOf(at(meta, "ownerReferences"))).toEqual({ strategies: ["merge"], mergeKey: "uid" });
    expect(patchStrategyOf(at(meta, "finalizers"))).toEqual({ strategies: ["merge"] });
    expect(patchStrategyOf(at(account, "secrets"))).toEqual({ strategies: ["merge"], mergeKey: "name" });
    expect(patchStrategyOf(at(account, "imagePullSecrets"))).toBeUndefined();
    const [struct] = parseIdl(["group a/v1 b\ntype A\n  x 1 [string] merge(k) retainKeys"]);
    expect(struct && patchStrategyOf(at(structSchema(struct), "x"))).toEqual({
      strategies: ["merge", "retainKeys"],
      mergeKey: "k",
    });
  });

  test("of recursive types accept anything", () => {
    const node = at(definition, "spec", "versions", "[]", "schema", "openAPIV3Schema");
    expect(node).toMatchObject({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
    expect(node.properties).toBeUndefined();
  });
});

test("every type has an acyclic schema and a description", () => {
  const visit = (node: StructuralSchema, above: readonly StructuralSchema[]): void => {
    expect(above).not.toContain(node);
    const below = [...above, node];
    for (const child of Object.values(node.properties ?? {})) visit(child, below);
    if (node.items) visit(node.items, below);
    if (typeof node.additionalProperties === "object") visit(node.additionalProperties, below);
  };
  for (const struct of allTypes()) {
    visit(structSchema(struct), []);
    expect(struct.description, struct.name).toMatch(/\.$/);
  }
});

test("kinds are found by apiVersion and name, those of meta/v1 in every version", () => {
  expect(findBuiltInKind("coordination.k8s.io/v1", "DeleteOptions")).toBe(
    findBuiltInKind("v1", "DeleteOptions"),
  );
  expect(findBuiltInKind("autoscaling/v1", "Scale")?.name).toBe("Scale");
  expect(findBuiltInKind("v1", "NamespaceSpec")).toBeUndefined();
  expect(findBuiltInKind("v2", "ConfigMap")).toBeUndefined();
  for (const name of [
    "ObjectMeta",
    "OwnerReference",
    "ManagedFieldsEntry",
    "LabelSelector",
    "Condition",
    "ListMeta",
  ]) {
    expect(findType("meta/v1", name)?.name).toBe(name);
  }
});
