import { safeParse, type $ZodType } from "zod/v4/core";

import { isJsonArray, isJsonObject, type Json, jsonEqual } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import type { ReportProblem } from "./problems.js";

/** The definition of `.default()` and `.prefault()`; reading the value calls the function it may come from. */
interface DefaultDef {
  readonly innerType: $ZodType;
  readonly defaultValue: unknown;
}

/**
 * The default of a field as JSON. Kubernetes refuses a CRD whose defaults do not fit their own schema, and
 * takes null for none; a default that is different each time would be frozen into the CRD.
 */
export function convertDefault(
  def: DefaultDef,
  schema: StructuralSchema,
  path: string,
  report: ReportProblem,
): Json | undefined {
  const value = asJson(def.defaultValue);
  const again = asJson(def.defaultValue);
  if (value === undefined || again === undefined) {
    report(
      path,
      "the default is not JSON",
      "give a default made of texts, numbers, booleans, lists and objects",
    );
    return undefined;
  }
  if (!jsonEqual(value, again)) {
    report(
      path,
      "the default is different each time it is asked for",
      "use .optional() and fill it in reconcile",
    );
    return undefined;
  }
  if (value === null) {
    report(
      path,
      "Kubernetes takes a default of null for no default",
      "use .nullish() and read undefined as null",
    );
    return undefined;
  }
  const parsed = safeParse(def.innerType, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
    report(
      path,
      `the default does not fit its own schema: ${issue?.message ?? "invalid"}${where}`,
      "give a default that passes the schema",
    );
    return undefined;
  }
  const unknown = unknownField(schema, value, "");
  if (unknown !== undefined) {
    report(
      path,
      `the default has the field "${unknown}", which its schema does not have`,
      "take it out of the default",
    );
    return undefined;
  }
  return value;
}

/** The first field in a value that pruning would take away. */
function unknownField(schema: StructuralSchema, value: Json, path: string): string | undefined {
  if (schema["x-kubernetes-preserve-unknown-fields"]) return undefined;
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) {
      const unknown = schema.items && unknownField(schema.items, item, `${path}[${index}]`);
      if (unknown !== undefined) return unknown;
    }
  }
  if (!isJsonObject(value)) return undefined;
  const { properties = {}, additionalProperties } = schema;
  for (const [key, member] of Object.entries(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    const inner = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (inner === undefined || inner === false) return at;
    const unknown = inner === true ? undefined : unknownField(inner, member, at);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}
