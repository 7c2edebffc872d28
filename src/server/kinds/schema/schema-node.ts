import type { StructuralSchema } from "../../../model/core.js";
import type { PatchStrategy, StructType } from "../idl/type-definition.js";

/** A node of a built-in kind's schema, with what only built-in kinds can say of a field. */
export interface SchemaNode extends StructuralSchema {
  /** `merge`, or several with commas between them. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const structs = new WeakMap<StructuralSchema, StructType>();

/** Records the type that a node was built from. */
export function setStruct(node: StructuralSchema, struct: StructType): void {
  structs.set(node, struct);
}

/** The type that a node was built from; undefined for nodes of custom kinds and for those that are no struct. */
export function structOf(schema: StructuralSchema): StructType | undefined {
  return structs.get(schema);
}

/** How strategic merge patches treat what stands at this node; undefined: maps are merged, the rest replaced. */
export function patchStrategyOf(schema: StructuralSchema): PatchStrategy | undefined {
  const node: SchemaNode = schema;
  const strategies = node["x-kubernetes-patch-strategy"];
  if (strategies === undefined) return undefined;
  return {
    strategies: strategies.split(",") as PatchStrategy["strategies"][number][],
    mergeKey: node["x-kubernetes-patch-merge-key"],
  };
}
