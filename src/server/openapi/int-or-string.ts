import type { StructuralSchema } from "../../model/core.js";

const intOrString: readonly StructuralSchema[] = [{ type: "integer" }, { type: "string" }];

/** Says in plain OpenAPI what `x-kubernetes-int-or-string` means, unless the schema says it already. */
export function unfolded(schema: StructuralSchema): StructuralSchema {
  if (schema["x-kubernetes-int-or-string"] !== true) return schema;
  const { anyOf, allOf } = schema;
  if (saysIntOrString(anyOf) || saysIntOrString(allOf?.[0]?.anyOf)) return schema;
  if (anyOf === undefined) return { ...schema, anyOf: intOrString };
  return { ...schema, allOf: [{ anyOf: intOrString }, ...(allOf ?? [])] };
}

function saysIntOrString(branches: readonly StructuralSchema[] | undefined): boolean {
  return branches?.length === 2 && branches[0]?.type === "integer" && branches[1]?.type === "string";
}
