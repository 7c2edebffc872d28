import type { $ZodType } from "zod/v4/core";

import type { SchemaDraft, SchemaType } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import { anyValue, type ReportProblem } from "./problems.js";

/** All values a schema of literals admits; undefined when it is anything else. */
export function literalValues(schema: $ZodType): readonly unknown[] | undefined {
  const { def } = schema._zod;
  if (def.type === "literal" || def.type === "enum") return [...(schema._zod.values ?? [])];
  return undefined;
}

/** A choice between plain values, which must all be of one type. */
export function convertEnum(values: readonly unknown[], path: string, report: ReportProblem): SchemaDraft {
  const type = commonType(values);
  if (type === undefined) {
    report(
      path,
      values.length === 0
        ? "a choice without values admits nothing"
        : "a choice must be between values of one type: texts, numbers or booleans",
      values.includes(null)
        ? "leave null out and use .optional()"
        : 'write them as texts: z.enum(["1", "auto"])',
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
