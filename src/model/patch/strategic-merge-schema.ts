import type { StructuralSchema } from "../schema/structural-schema.js";

/** Strategy of a field in a strategic merge patch; `retainKeys` only concerns clients that create one. */
export type PatchStrategy = "merge" | "replace" | "retainKeys";

/** Patch strategy of one location in an object. */
export interface PatchSchema {
  /** Schema of a field; undefined if it is unknown. */
  field(name: string): PatchSchema | undefined;
  /** Schema of list items. */
  item(): PatchSchema | undefined;
  /** Default: objects are merged and lists replaced. */
  readonly strategy: readonly PatchStrategy[];
  /** Field that identifies items, for lists of objects with strategy `merge`. */
  readonly mergeKey?: string | undefined;
}

interface PatchExtensions {
  readonly "x-kubernetes-patch-strategy"?: unknown;
  readonly "x-kubernetes-patch-merge-key"?: unknown;
}

const patchSchemas = new WeakMap<StructuralSchema, PatchSchema>();

/**
 * Reads the patch strategies in an OpenAPI schema: `x-kubernetes-patch-strategy` and
 * `x-kubernetes-patch-merge-key`. Nodes are converted when a patch reaches them, so schemas may be large or
 * recursive.
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
