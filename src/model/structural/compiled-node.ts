import type { Json } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { compileRules, type ValueRules } from "./validation/value-rules.js";

/**
 * One schema made ready for walking objects. Nodes are made when an object first has something there, since most of
 * a big schema is rarely used, and there is one per schema whoever asks for it.
 */
export interface CompiledNode {
  readonly schema: StructuralSchema;
  readonly nullable: boolean;
  /** Whether fields that nobody described are kept. */
  readonly preserves: boolean;
  /** Whether this is an object with apiVersion, kind and metadata of its own. */
  readonly embedded: boolean;
  /** The fields that have been met so far; undefined when there are none. */
  readonly fields: Map<string, CompiledNode> | undefined;
  /** The names of the fields that have a default. */
  readonly defaulted: readonly string[];
  /** The default, pruned; made when it is first needed. */
  preparedDefault: Json | undefined;
  /** What values have to be like; made when it is first needed. */
  rules: ValueRules | undefined;
  /** Whether there are lists in here whose items must all be different; known when it was first asked. */
  distinctLists: boolean | undefined;
}

const nodes = new WeakMap<StructuralSchema, CompiledNode>();

/** The node of a schema. */
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

/** A default of null is none. */
export function hasDefault(schema: StructuralSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** The node of a named field. */
export function fieldNode(node: CompiledNode, name: string): CompiledNode | undefined {
  const { fields } = node;
  const { properties } = node.schema;
  if (!fields || !properties) return undefined;
  const known = fields.get(name);
  if (known) return known;
  if (!Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  if (!property) return undefined;
  const field = compiledNode(property);
  fields.set(name, field);
  return field;
}

/** The node of all entries of a map; undefined when they are not described. */
export function entryNode({ schema }: CompiledNode): CompiledNode | undefined {
  const { additionalProperties } = schema;
  return typeof additionalProperties === "object" ? compiledNode(additionalProperties) : undefined;
}

/** The node of the items of a list. */
export function itemNode({ schema }: CompiledNode): CompiledNode | undefined {
  return schema.items && compiledNode(schema.items);
}

/** What values of a node have to be like. */
export function valueRules(node: CompiledNode): ValueRules {
  return (node.rules ??= compileRules(node.schema));
}
