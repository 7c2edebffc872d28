import type { $ZodLazyDef, $ZodType, $ZodUnionDef } from "zod/v4/core";

import type { SchemaDraft } from "../../schema/structural-schema.js";
import { convertEnum, literalValues } from "./enums.js";
import { mergeUnion } from "./merge.js";
import { isIntOrString, metaOf } from "./meta.js";
import { anyValue, type Convert, type ReportProblem } from "./problems.js";
import { defOf, isDiscriminated } from "./zod-definitions.js";

/** Converts unions that a structural schema can express, and reports the others. */
export function convertUnion(
  schema: $ZodType,
  def: $ZodUnionDef,
  path: string,
  convert: Convert,
  report: ReportProblem,
): SchemaDraft {
  if (isIntOrString(metaOf(schema))) return convertIntOrString(def, path, convert);
  if (isDiscriminated(def)) {
    const options = def.options.map((option) => ({
      schema: convert(option, path).schema,
      strict: isStrict(option),
    }));
    return mergeUnion(options, def.discriminator, path, report);
  }

  const options = flatten(def.options);
  const values = options.map(literalValues);
  if (values.every((value) => value !== undefined)) return convertEnum(values.flat(), path, report);
  const solid = options.filter((option) => option._zod.def.type !== "null");
  const [only] = solid;
  if (only && solid.length === 1) {
    const { schema: converted } = convert(only, path);
    if (options.length > 1) makeNullable(converted, path, report);
    return converted;
  }
  report(
    path,
    "a union is supported in a Kubernetes schema only if a discriminator tells its options apart",
    "use z.discriminatedUnion(…), z.enum([…]) for fixed values, or intOrString() for a number or string",
  );
  return anyValue();
}

/** Kubernetes compares null with the values of an enum and rejects it. */
export function makeNullable(schema: SchemaDraft, path: string, report: ReportProblem): void {
  if (schema.enum) {
    report(
      path,
      "Kubernetes rejects null for a field with an enum",
      "use .optional() instead of .nullable()",
    );
  }
  schema.nullable = true;
}

function flatten(options: readonly $ZodType[]): $ZodType[] {
  return options.flatMap((option) => {
    const def = defOf(option);
    const isPlain = def.type === "union" && !isDiscriminated(def) && !isIntOrString(metaOf(option));
    return isPlain ? flatten(def.options) : [option];
  });
}

function isStrict(option: $ZodType): boolean {
  const def = defOf(option);
  return def.type === "object" && def.catchall?._zod.def.type === "never";
}

/** Constraints of both options are combined: each applies only to values of its own type. */
function convertIntOrString(def: $ZodUnionDef, path: string, convert: Convert): SchemaDraft {
  const demands: SchemaDraft = {};
  for (const option of def.options) {
    const { type: _type, ...rest } = convert(option, path).schema;
    Object.assign(demands, rest);
  }
  const anyOf = [{ type: "integer" }, { type: "string" }] as const;
  return { ...demands, anyOf, "x-kubernetes-int-or-string": true };
}

/** True for z.json(), the one recursive schema that Kubernetes can express. */
export function isJson(lazy: $ZodLazyDef, inner: $ZodType): boolean {
  const union = defOf(inner);
  if (union.type !== "union") return false;
  const types = new Set<string>(union.options.map((option) => option._zod.def.type));
  return (
    ["string", "number", "boolean", "null", "array", "record"].every((type) => types.has(type)) &&
    union.options.every((option) => {
      const def = defOf(option);
      if (def.type !== "array") return true;
      const element = defOf(def.element);
      // Compares getters, because .describe() copies the schema.
      return element.type === "lazy" && element.getter === lazy.getter;
    })
  );
}
