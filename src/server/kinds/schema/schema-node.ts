import type { StructuralSchema } from "../../../model/core.js";
import type { PatchStrategy } from "../idl/type-definition.js";

/** A node of a built-in kind's schema, with what only built-in kinds can say of a field. */
export interface SchemaNode extends StructuralSchema {
  /** `merge`, or several with commas between them. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const typeNames = new WeakMap<StructuralSchema, string>();

/** Gives a node the name under which OpenAPI documents refer to it. */
export function nameNode(node: StructuralSchema, name: string): void {
  typeNames.set(node, name);
}

/** The name of a node in OpenAPI documents (`io.k8s.api.core.v1.ConfigMap`); most nodes have none. */
export function typeName(schema: StructuralSchema): string | undefined {
  return typeNames.get(schema);
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
