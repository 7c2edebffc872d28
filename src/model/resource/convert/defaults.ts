import { safeParse, type $ZodType } from "zod/v4/core";

import { isJsonArray, isJsonObject, type Json, jsonEqual } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import type { ReportProblem } from "./problems.js";

/** Definition of `.default()` and `.prefault()`; reading `defaultValue` calls the user's function. */
interface DefaultDef {
  readonly innerType: $ZodType;
  readonly defaultValue: unknown;
}

/**
 * Converts the default of a field. Kubernetes rejects a CRD whose defaults do not match their schema, and
 * treats null as no default; a default that varies would be frozen into the CRD.
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
      "use a default made of strings, numbers, booleans, lists and objects",
    );
    return undefined;
  }
  if (!jsonEqual(value, again)) {
    report(path, "the default differs each time it is evaluated", "use .optional() and fill it in reconcile");
    return undefined;
  }
  if (value === null) {
    report(
      path,
      "Kubernetes treats a default of null as no default",
      "use .nullish() and treat undefined as null",
    );
    return undefined;
  }
  const parsed = safeParse(def.innerType, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
    report(
      path,
      `the default does not match its own schema: ${issue?.message ?? "invalid"}${where}`,
      "use a default that matches the schema",
    );
    return undefined;
  }
  const unknown = unknownField(schema, value, "");
  if (unknown !== undefined) {
    report(
      path,
      `the default has the field "${unknown}", which its schema does not have`,
      "remove it from the default",
    );
    return undefined;
  }
  return value;
}

/** Finds the first field that pruning would remove. */
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
