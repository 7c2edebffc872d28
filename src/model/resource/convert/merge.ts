import { jsonEqual } from "../../object/json.js";
import type { SchemaDraft, StructuralSchema } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import { anyValue, type ReportProblem } from "./problems.js";

/** Keywords of object schemas that can be merged. */
const mergeable = new Set<string>([
  "type",
  "title",
  "description",
  "example",
  "properties",
  "required",
  "oneOf",
  "allOf",
  "x-kubernetes-preserve-unknown-fields",
]);

type Properties = Record<string, StructuralSchema>;

/** True if two schemas are equal, apart from titles, descriptions and examples. */
function sameSchema(left: StructuralSchema, right: StructuralSchema): boolean {
  return jsonEqual(asJson(undescribed(left)) ?? null, asJson(undescribed(right)) ?? null);
}

function undescribed(schema: StructuralSchema): StructuralSchema {
  const { title: _title, description: _description, example: _example, ...rest } = schema;
  return rest;
}

/** True for an object with named fields, whose fields can be merged with those of another. */
function canMerge(schema: StructuralSchema): boolean {
  return schema.type === "object" && Object.keys(schema).every((key) => mergeable.has(key));
}

/**
 * Merges the fields of several objects. A Kubernetes schema gives each field one type, so a field that
 * several of them have must be the same in all.
 */
function mergeProperties(
  schemas: readonly StructuralSchema[],
  path: string,
  report: ReportProblem,
  except?: string,
): Properties {
  const merged = new Map<string, StructuralSchema>();
  const reported = new Set<string>();
  for (const { properties = {} } of schemas) {
    for (const [name, property] of Object.entries(properties)) {
      const before = merged.get(name);
      if (before === undefined) merged.set(name, property);
      else if (name !== except && !sameSchema(before, property) && !reported.has(name)) {
        reported.add(name);
        report(
          `${path}.${name}`,
          "the field is declared with different schemas, and a Kubernetes schema gives each field one type",
          "declare it the same everywhere, or use different names",
        );
      }
    }
  }
  return Object.fromEntries(merged);
}

/** Converts an intersection of two object schemas. */
export function mergeIntersection(
  left: StructuralSchema,
  right: StructuralSchema,
  path: string,
  report: ReportProblem,
): SchemaDraft {
  if (!canMerge(left) || !canMerge(right)) {
    report(
      path,
      "a Kubernetes schema supports an intersection only if both sides are plain objects",
      "write one z.object(), or use a.extend(b.shape)",
    );
    return anyValue();
  }
  const merged: SchemaDraft = { type: "object", properties: mergeProperties([left, right], path, report) };
  const required = [...new Set([...(left.required ?? []), ...(right.required ?? [])])];
  if (required.length > 0) merged.required = required;
  if (left["x-kubernetes-preserve-unknown-fields"] || right["x-kubernetes-preserve-unknown-fields"]) {
    merged["x-kubernetes-preserve-unknown-fields"] = true;
  }
  const allOf = [...(left.allOf ?? []), ...(right.allOf ?? [])];
  if (left.oneOf && right.oneOf) allOf.push({ oneOf: left.oneOf }, { oneOf: right.oneOf });
  else if (left.oneOf ?? right.oneOf) merged.oneOf = left.oneOf ?? right.oneOf;
  if (allOf.length > 0) merged.allOf = allOf;
  return merged;
}

/** Option of a discriminated union. */
export interface UnionOption {
  readonly schema: StructuralSchema;
  /** Strict options forbid fields that only other options have. */
  readonly strict: boolean;
}

/**
 * Converts a discriminated union to one object: the fields of all options, the discriminator as an enum of
 * all its values, and `oneOf` that binds each value to the requirements of its option. The branches of
 * `oneOf` exclude each other by the discriminator, because zod does not allow two options to share a value.
 *
 * Stricter than zod in one point: a field of another option is not dropped, so it must match its type there.
 */
export function mergeUnion(
  options: readonly UnionOption[],
  discriminator: string,
  path: string,
  report: ReportProblem,
): SchemaDraft {
  const schemas = options.map(({ schema }) => schema);
  if (!schemas.every(canMerge)) {
    report(
      path,
      "an option of the discriminated union is not a plain object",
      "make every option a z.object() without rules of its own; a rule for one option belongs on the union: " +
        `rule(union, "self.${discriminator} != 'a' || self.size > 1")`,
    );
    return anyValue();
  }
  const tags = schemas.map((schema) => ownProperty(schema, discriminator));
  const tagType = tags[0]?.type;
  const isTagged = tags.every((tag) => tag?.enum !== undefined && tag.type === tagType);
  if (!isTagged || !schemas.every((schema) => schema.required?.includes(discriminator))) {
    report(
      `${path}.${discriminator}`,
      "the discriminator must be a literal or enum in every option, all of one type, and required",
      `write ${discriminator}: z.literal("…") in every option`,
    );
    return anyValue();
  }
  reportLoneDefaults(schemas, path, report);

  const properties = mergeProperties(schemas, path, report, discriminator);
  properties[discriminator] = { ...tags[0], enum: tags.flatMap((tag) => tag?.enum ?? []) };
  const shared = (schemas[0]?.required ?? []).filter((name) =>
    schemas.every((schema) => schema.required?.includes(name)),
  );
  const merged: SchemaDraft = { type: "object", properties, required: shared };
  if (schemas.some((schema) => schema["x-kubernetes-preserve-unknown-fields"])) {
    merged["x-kubernetes-preserve-unknown-fields"] = true;
  }
  const branches = options.map((option, index) =>
    branch(option, discriminator, tags[index], shared, Object.keys(properties)),
  );
  // Without further requirements, the enum of the discriminator is enough.
  if (branches.some((part) => part.required ?? part.oneOf ?? part.allOf ?? part.not)) {
    merged.oneOf = branches;
  }
  return merged;
}

function branch(
  { schema, strict }: UnionOption,
  discriminator: string,
  tag: StructuralSchema | undefined,
  shared: readonly string[],
  names: readonly string[],
): SchemaDraft {
  const part: SchemaDraft = { properties: { [discriminator]: { enum: tag?.enum ?? [] } } };
  const required = (schema.required ?? []).filter((name) => !shared.includes(name));
  if (required.length > 0) part.required = required;
  if (schema.oneOf) part.oneOf = schema.oneOf;
  if (schema.allOf) part.allOf = schema.allOf;
  const foreign = names.filter((name) => ownProperty(schema, name) === undefined);
  if (strict && foreign.length > 0) part.not = { anyOf: foreign.map((name) => ({ required: [name] })) };
  return part;
}

/**
 * Reports defaults that not all options have. Defaulting ignores `oneOf`, so the default of one option would
 * appear in objects of the others.
 */
function reportLoneDefaults(schemas: readonly StructuralSchema[], path: string, report: ReportProblem): void {
  const names = new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)));
  for (const name of names) {
    const declared = schemas.map((schema) => ownProperty(schema, name));
    if (declared.some((property) => property?.default !== undefined) && declared.includes(undefined)) {
      report(
        `${path}.${name}`,
        "a default in one option of a discriminated union would also be applied to the other options",
        "use .optional() and fill it in reconcile, or declare the field in every option",
      );
    }
  }
}

function ownProperty({ properties }: StructuralSchema, name: string): StructuralSchema | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
