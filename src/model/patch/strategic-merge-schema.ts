import type { StructuralSchema } from "../schema/structural-schema.js";

/** How a field takes a strategic merge patch; `retainKeys` only tells clients how to write one. */
export type PatchStrategy = "merge" | "replace" | "retainKeys";

/** What a strategic merge patch has to know of a place in an object. */
export interface PatchSchema {
  /** The schema of a field of the object that stands here; undefined when nothing is known of it. */
  field(name: string): PatchSchema | undefined;
  /** The schema of the items of the list that stands here. */
  item(): PatchSchema | undefined;
  /** Without a strategy, objects are merged and lists replaced. */
  readonly strategy: readonly PatchStrategy[];
  /** For lists of objects with strategy `merge`: the field that tells items apart. */
  readonly mergeKey?: string | undefined;
}

interface PatchExtensions {
  readonly "x-kubernetes-patch-strategy"?: unknown;
  readonly "x-kubernetes-patch-merge-key"?: unknown;
}

const patchSchemas = new WeakMap<StructuralSchema, PatchSchema>();

/**
 * The patch rules that stand in an OpenAPI schema as `x-kubernetes-patch-strategy` and
 * `x-kubernetes-patch-merge-key`. Nodes are looked at when a patch reaches them, so schemas may be large or recursive.
 */
export function patchSchemaOf(schema: StructuralSchema): PatchSchema {
  let found = patchSchemas.get(schema);
  if (found === undefined) {
    found = fromNode(schema);
    patchSchemas.set(schema, found);
  }
  return found;
}

function fromNode(node: StructuralSchema): PatchSchema {
  const extensions = node as PatchExtensions;
  const strategy = extensions["x-kubernetes-patch-strategy"];
  const mergeKey = extensions["x-kubernetes-patch-merge-key"];
  return {
    field(name) {
      const { properties, additionalProperties } = node;
      const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property !== undefined) return patchSchemaOf(property);
      return typeof additionalProperties === "object" ? patchSchemaOf(additionalProperties) : undefined;
    },
    item: () => (node.items === undefined ? undefined : patchSchemaOf(node.items)),
    strategy: typeof strategy === "string" ? strategy.split(",").filter(isStrategy) : [],
    ...(typeof mergeKey === "string" && mergeKey !== "" && { mergeKey }),
  };
}

function isStrategy(text: string): text is PatchStrategy {
  return text === "merge" || text === "replace" || text === "retainKeys";
}
