import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { compileRules, type ValueRules } from "./validation/value-rules.js";

/**
 * Schema node, compiled for walking objects. Nodes are created on demand, since most of a large schema is
 * rarely used, and shared per schema.
 */
export interface CompiledNode {
  readonly schema: StructuralSchema;
  readonly nullable: boolean;
  /** True if undeclared fields are preserved. */
  readonly preserves: boolean;
  /** True for an embedded resource, with apiVersion, kind and metadata. */
  readonly embedded: boolean;
  /** Nodes of fields that were used so far; undefined if none are declared. */
  readonly fields: Map<string, CompiledNode> | undefined;
  /** Names of fields with a default. */
  readonly defaulted: readonly string[];
  /** Pruned default; computed on first use. */
  preparedDefault: Json | undefined;
  /** Rules for values; compiled on first use. */
  rules: ValueRules | undefined;
  /** True if lists below must have distinct items; computed on first use. */
  distinctLists: boolean | undefined;
}

const nodes = new WeakMap<StructuralSchema, CompiledNode>();

/** Node of a schema. */
export function compiledNode(schema: StructuralSchema): CompiledNode {
  let node = nodes.get(schema);
  if (!node) {
    node = {
      schema,
      nullable: schema.nullable === true,
      preserves: schema["x-kubernetes-preserve-unknown-fields"] === true,
      embedded: schema["x-kubernetes-embedded-resource"] === true,
      fields: schema.properties && new Map(),
      defaulted: Object.entries(schema.properties ?? {})
        .filter(([, property]) => hasDefault(property))
        .map(([name]) => name),
      preparedDefault: undefined,
      rules: undefined,
      distinctLists: undefined,
    };
    nodes.set(schema, node);
  }
  return node;
}

/** True if there is a default; null does not count. */
export function hasDefault(schema: StructuralSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** Node of a declared field. */
export function fieldNode(node: CompiledNode, name: string): CompiledNode | undefined {
  const { fields } = node;
  const { properties } = node.schema;
  if (!fields || !properties) return undefined;
  const cached = fields.get(name);
  if (cached) return cached;
  if (!Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  if (!property) return undefined;
  const field = compiledNode(property);
  fields.set(name, field);
  return field;
}

/** Node of map entries; undefined if they are not declared. */
export function entryNode({ schema }: CompiledNode): CompiledNode | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === "object" ? compiledNode(additionalProperties) : undefined;
}

/** Node of list items. */
export function itemNode({ schema }: CompiledNode): CompiledNode | undefined {
  return schema.items && compiledNode(schema.items);
}

/** Rules for values of a node. */
export function valueRules(node: CompiledNode): ValueRules {
  return (node.rules ??= compileRules(node.schema));
}
