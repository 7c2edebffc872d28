import type { StructuralSchema } from "../../../model/core.js";
import {
  type Alias,
  type FieldDefinition,
  type Scalar,
  type StructType,
  type ValueType,
} from "../idl/type-definition.js";
import { findType } from "../types.js";
import { setStruct, type SchemaNode } from "./schema-node.js";

type NodeDraft = { -readonly [Key in keyof SchemaNode]: SchemaNode[Key] };

const structNodes = new WeakMap<StructType, SchemaNode>();
const aliasNodes = new WeakMap<Alias, SchemaNode>();

/**
 * Schema of a described type, for apply and strategic merge patches. All uses of a type share one node. The graph is
 * acyclic: a recursive type is a node that accepts anything.
 */
export function structSchema(struct: StructType): StructuralSchema {
  let node = structNodes.get(struct);
  if (node === undefined) {
    node = buildStruct(struct);
    structNodes.set(struct, node);
    setStruct(node, struct);
  }
  return node;
}

function buildStruct(struct: StructType): SchemaNode {
  const node: NodeDraft = {};
  if (struct.description) node.description = struct.description;
  if (struct.union) return { ...node, "x-kubernetes-preserve-unknown-fields": true };
  node.type = "object";
  if (struct.atomic) node["x-kubernetes-map-type"] = "atomic";
  if (containsItself(struct)) return { ...node, "x-kubernetes-preserve-unknown-fields": true };
  const properties: Record<string, SchemaNode> = {};
  if (struct.kind) {
    properties["apiVersion"] = apiVersionNode;
    properties["kind"] = kindNode;
  }
  for (const field of struct.fields) properties[field.name] = fieldNode(field);
  const required = struct.fields.filter(isRequired).map(({ name }) => name);
  if (required.length > 0) node.required = required;
  return { ...node, properties };
}

function isRequired({ presence, required }: FieldDefinition): boolean {
  return presence === "required" || required === true;
}

const apiVersionNode: SchemaNode = { type: "string" };
const kindNode: SchemaNode = { type: "string" };

/** Properties that objects of every kind have. */
export function objectProperties(): Readonly<Record<"apiVersion" | "kind" | "metadata", StructuralSchema>> {
  const objectMeta = findType("meta/v1", "ObjectMeta");
  if (objectMeta === undefined) throw new Error("api-types has no meta/v1.ObjectMeta");
  return { apiVersion: apiVersionNode, kind: kindNode, metadata: structSchema(objectMeta) };
}

function fieldNode(field: FieldDefinition): SchemaNode {
  const { type } = field;
  const isPlain = field.patch === undefined && field.mapType === undefined;
  if (type.of === "struct" && isPlain) return structSchema(type.struct);
  const node: NodeDraft = { ...valueNode(type) };
  if (field.description) node.description = field.description;
  if (field.default !== undefined && type.of !== "struct") node.default = field.default;
  if (field.format) node.format = field.format;
  if (field.listType) node["x-kubernetes-list-type"] = field.listType;
  if (field.listMapKeys) node["x-kubernetes-list-map-keys"] = field.listMapKeys;
  if (field.mapType) node["x-kubernetes-map-type"] = field.mapType;
  if (field.patch) {
    node["x-kubernetes-patch-strategy"] = field.patch.strategies.join(",");
    if (field.patch.mergeKey) node["x-kubernetes-patch-merge-key"] = field.patch.mergeKey;
  }
  return node;
}

function valueNode(type: ValueType): SchemaNode {
  switch (type.of) {
    case "scalar":
      return type.alias ? aliasNode(type.alias) : scalarNodes[type.scalar];
    case "struct":
      return structSchema(type.struct);
    case "list":
      return { type: "array", items: valueNode(type.item) };
    case "map":
      return { type: "object", additionalProperties: valueNode(type.value) };
  }
}

function aliasNode(alias: Alias): SchemaNode {
  let node = aliasNodes.get(alias);
  if (node === undefined) {
    const base = scalarNodes[alias.scalar];
    node = alias.values ? { ...base, enum: alias.values } : base;
    aliasNodes.set(alias, node);
  }
  return node;
}

/** Unset times are null. */
const timeNode: SchemaNode = { type: "string", format: "date-time", nullable: true };
const anyNode: SchemaNode = { "x-kubernetes-preserve-unknown-fields": true };

const scalarNodes: Readonly<Record<Scalar, SchemaNode>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  time: timeNode,
  microtime: timeNode,
  duration: { type: "string" },
  // A string or a number; typed decoding has checked it before.
  quantity: anyNode,
  intOrString: { "x-kubernetes-int-or-string": true },
  any: anyNode,
};

function containsItself(struct: StructType): boolean {
  return parts(struct).some((part) => part === struct || reachable(part).includes(struct));
}

/** A type and all types that it contains. */
function reachable(struct: StructType): StructType[] {
  const found = new Set([struct]);
  for (const type of found) for (const part of parts(type)) found.add(part);
  return [...found];
}

function parts(struct: StructType): StructType[] {
  return struct.fields.flatMap(({ type }) => structsIn(type));
}

function structsIn(type: ValueType): StructType[] {
  if (type.of === "struct") return [type.struct];
  if (type.of === "list") return structsIn(type.item);
  if (type.of === "map") return structsIn(type.value);
  return [];
}
