import type { $ZodCheckStringFormatDef, $ZodType } from "zod/v4/core";

import type { SchemaDraft } from "../../schema/structural-schema.js";
import type { ReportProblem } from "./problems.js";
import { unsupported } from "./unsupported.js";
import { convertStringFormat } from "./string-formats.js";
import { type CheckDef, checksOf, isOwnCheck } from "./zod-definitions.js";

/**
 * Adds the checks of a zod schema to its converted form, and reports those that a structural schema cannot
 * express. A check in JavaScript is allowed if the same schema has CEL rules of its own, which are assumed to
 * express the same.
 */
export function applyChecks(
  source: $ZodType,
  schema: SchemaDraft,
  path: string,
  report: ReportProblem,
  hasRules: boolean,
): void {
  for (const check of checksOf(source)) {
    if (isOwnCheck(check)) applyCheck(check, schema, path, report);
    else if (!hasRules) report(path, unsupported.refine.message, unsupported.refine.fix);
  }
}

function applyCheck(check: CheckDef, schema: SchemaDraft, path: string, report: ReportProblem): void {
  switch (check.check) {
    case "min_length":
      atLeast(schema, check.minimum);
      break;
    case "max_length":
      atMost(schema, check.maximum);
      break;
    case "length_equals":
      atLeast(schema, check.length);
      atMost(schema, check.length);
      break;
    case "greater_than":
      if (typeof check.value === "number") above(schema, check.value, !check.inclusive);
      break;
    case "less_than":
      if (typeof check.value === "number") below(schema, check.value, !check.inclusive);
      break;
    case "multiple_of":
      multipleOf(schema, Number(check.value), path, report);
      break;
    case "number_format":
      numberFormat(schema, check.format);
      break;
    case "string_format":
      stringFormat(schema, check, path, report);
      break;
    case "overwrite":
      report(path, unsupported.overwrite.message, unsupported.overwrite.fix);
      break;
    default:
      report(path, unsupported.properties.message, unsupported.properties.fix);
  }
}

function atLeast(schema: SchemaDraft, length: number): void {
  const key = schema.type === "array" ? "minItems" : "minLength";
  schema[key] = Math.max(schema[key] ?? 0, length);
}

function atMost(schema: SchemaDraft, length: number): void {
  const key = schema.type === "array" ? "maxItems" : "maxLength";
  schema[key] = Math.min(schema[key] ?? Infinity, length);
}

function above(schema: SchemaDraft, limit: number, exclusive: boolean): void {
  if (!Number.isFinite(limit) || limit < (schema.minimum ?? -Infinity)) return;
  if (limit === schema.minimum && !exclusive) return;
  schema.minimum = limit;
  if (exclusive) schema.exclusiveMinimum = true;
  else delete schema.exclusiveMinimum;
}

function below(schema: SchemaDraft, limit: number, exclusive: boolean): void {
  if (!Number.isFinite(limit) || limit > (schema.maximum ?? Infinity)) return;
  if (limit === schema.maximum && !exclusive) return;
  schema.maximum = limit;
  if (exclusive) schema.exclusiveMaximum = true;
  else delete schema.exclusiveMaximum;
}

function multipleOf(schema: SchemaDraft, step: number, path: string, report: ReportProblem): void {
  if (!Number.isFinite(step) || step <= 0) {
    report(path, `a number cannot be a multiple of ${step}`, "pass .multipleOf() a number above 0");
  } else if (schema.multipleOf === undefined) schema.multipleOf = step;
  else schema.allOf = [...(schema.allOf ?? []), { multipleOf: step }];
}

/**
 * The range of z.int() (±2^53) is omitted: JSON.parse has rounded larger numbers before any schema sees them.
 * Narrower ranges are written out, because readers may not know what a format implies.
 */
function numberFormat(schema: SchemaDraft, format: string): void {
  if (format === "float32") schema.format = "float";
  else if (format === "float64") schema.format = "double";
  else schema.type = "integer";
  if (format === "int32") {
    schema.format = "int32";
    above(schema, -(2 ** 31), false);
    below(schema, 2 ** 31 - 1, false);
  } else if (format === "uint32") {
    schema.format = "int64";
    above(schema, 0, false);
    below(schema, 2 ** 32 - 1, false);
  }
}

function stringFormat(
  schema: SchemaDraft,
  def: $ZodCheckStringFormatDef,
  path: string,
  report: ReportProblem,
): void {
  const converted = convertStringFormat(def, path, report);
  for (const key of ["format", "pattern"] as const) {
    const value = converted?.[key];
    if (value === undefined) continue;
    if (schema[key] === undefined) schema[key] = value;
    else schema.allOf = [...(schema.allOf ?? []), { [key]: value }];
  }
}
