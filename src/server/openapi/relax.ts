import type { StructuralSchema } from "../../model/core.js";
import type { SchemaDraft } from "../../model/schema/structural-schema.js";

/**
 * A schema node as OpenAPI v2 can say it, by the rules of Kubernetes: alternatives are dropped, and where a value may
 * be null or have fields that nobody knows, nothing is said of what is in it, since clients of v2 would refuse what
 * they do not find. The children stay as they are, to be relaxed in their turn.
 */
export function relaxed(schema: StructuralSchema): StructuralSchema {
  const { allOf: _, anyOf: __, oneOf: ___, not: ____, nullable, ...rest } = schema;
  const draft: SchemaDraft = rest;
  const open = draft["x-kubernetes-preserve-unknown-fields"] === true;
  if (nullable) delete draft.type;
  if (nullable || open) {
    delete draft.items;
    delete draft.properties;
  }
  if (draft.type === "array" && draft.items === undefined) delete draft.type;
  if (draft.type === "object" && open) delete draft.type;
  const required = stillRequired(draft);
  if (required) draft.required = required;
  else delete draft.required;
  return draft;
}

/** Where null cannot be said, a field that may be null may be missing. */
function stillRequired(schema: StructuralSchema): readonly string[] | undefined {
  const { required, properties = {}, additionalProperties } = schema;
  if (typeof additionalProperties === "object" && additionalProperties.nullable) return undefined;
  const left = required?.filter((name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable));
  return left && left.length > 0 ? left : undefined;
}
