import type { $ZodType } from "zod/v4/core";

import type { SchemaDraft, SchemaType } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import { anyValue, type ReportProblem } from "./problems.js";

/** Values of a literal or enum schema; undefined for any other schema. */
export function literalValues(schema: $ZodType): readonly unknown[] | undefined {
  const { def } = schema._zod;
  if (def.type === "literal" || def.type === "enum") return [...(schema._zod.values ?? [])];
  return undefined;
}

/** Converts an enum; all values must have one type. */
export function convertEnum(values: readonly unknown[], path: string, report: ReportProblem): SchemaDraft {
  const type = commonType(values);
  if (type === undefined) {
    report(
      path,
      values.length === 0
        ? "an enum without values matches nothing"
        : "all values of an enum must have one type: string, number or boolean",
      values.includes(null) ? "remove null and use .optional()" : 'use strings: z.enum(["1", "auto"])',
    );
    return anyValue();
  }
  return { type, enum: [...new Set(values.map(asJson).filter((value) => value !== undefined))] };
}

function commonType(values: readonly unknown[]): SchemaType | undefined {
  if (values.length === 0) return undefined;
  if (values.every((value) => typeof value === "string")) return "string";
  if (values.every((value) => typeof value === "boolean")) return "boolean";
  if (values.every((value) => Number.isSafeInteger(value))) return "integer";
  if (values.every((value) => typeof value === "number" && Number.isFinite(value))) return "number";
  return undefined;
}
