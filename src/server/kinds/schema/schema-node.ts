import type { StructuralSchema } from "../../../model/core.js";
import type { FieldPatchStrategy, StructType } from "../idl/type-definition.js";

/** Node of a built-in kind's schema, with the extensions that only built-in kinds have. */
export interface SchemaNode extends StructuralSchema {
  /** `merge`, or several strategies separated by commas. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const structs = new WeakMap<StructuralSchema, StructType>();

/** Records the type that a node was built from. */
export function setStruct(node: StructuralSchema, struct: StructType): void {
  structs.set(node, struct);
}

/** Type that a node was built from; undefined for nodes of custom kinds, scalars, lists and maps. */
export function structOf(schema: StructuralSchema): StructType | undefined {
  return structs.get(schema);
}

/** Strategy of strategic merge patches at this node. Undefined: maps are merged, everything else is replaced. */
export function patchStrategyOf(schema: StructuralSchema): FieldPatchStrategy | undefined {
  const node: SchemaNode = schema;
  const strategies = node["x-kubernetes-patch-strategy"];
  if (strategies === undefined) return undefined;
  return {
    strategies: strategies.split(",") as FieldPatchStrategy["strategies"][number][],
    mergeKey: node["x-kubernetes-patch-merge-key"],
  };
}
