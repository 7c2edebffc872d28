import type { $ZodObjectDef, $ZodRecordDef, $ZodType } from "zod/v4/core";

import { applyChecks } from "./checks.js";
import { convertDefault } from "./defaults.js";
import { convertEnum, literalValues } from "./enums.js";
import { mergeIntersection } from "./merge.js";
import { applyMeta, hasOwnRules, metaOf } from "./meta.js";
import { patternProblem } from "./portable-pattern.js";
import {
  anyValue,
  problemCollector,
  type Convert,
  type ConvertedField,
  type ReportProblem,
} from "./problems.js";
import { unsupported, unsupportedTypes } from "./unsupported.js";
import { convertUnion, isJson, makeNullable } from "./unions.js";
import { checksOf, defOf, isZodSchema } from "./zod-definitions.js";
import type { DefinitionProblem } from "./definition-error.js";
import type { SchemaDraft, StructuralSchema } from "../../schema/structural-schema.js";

/** Limit for nesting; also ends recursive schemas that create new parts each time. */
const maxDepth = 64;

/** Result of a conversion. */
export interface Conversion {
  readonly schema: StructuralSchema;
  readonly optional: boolean;
  readonly problems: readonly DefinitionProblem[];
}

/**
 * Converts a zod schema to a structural schema.
 *
 * Walks zod's definitions instead of using `z.toJSONSchema()`, which drops refinements silently, takes the
 * input side of transforms, throws at the first unsupported schema without a path, and turns unions and
 * shared schemas into `anyOf` and `$ref` that would have to be resolved again.
 *
 * Kubernetes prunes unknown fields, like z.object(). z.strictObject() is converted like z.object(), because a
 * schema cannot both prune and reject; clients that want an error use strict field validation.
 */
export function toStructural(root: $ZodType, path: string): Conversion {
  const problems: DefinitionProblem[] = [];
  const report = problemCollector(problems);
  const open = new Set<$ZodType>();

  const convert: Convert = (schema, path) => {
    if (!isZodSchema(schema)) {
      report(path, "this is not a zod 4 schema", 'create it with import { z } from "zod"');
      return required(anyValue());
    }
    if (open.has(schema) || open.size >= maxDepth) {
      report(path, unsupported.recursion.message, unsupported.recursion.fix);
      return required(anyValue());
    }
    open.add(schema);
    try {
      const meta = metaOf(schema);
      const field = convertType(schema, path, convert, report);
      applyChecks(schema, field.schema, path, report, hasOwnRules(meta));
      applyMeta(meta, field.schema, path, report);
      return field;
    } finally {
      open.delete(schema);
    }
  };

  return { ...convert(root, path), problems };
}

function convertType(
  schema: $ZodType,
  path: string,
  convert: Convert,
  report: ReportProblem,
): ConvertedField {
  const def = defOf(schema);
  const problem = unsupportedTypes[def.type];
  if (problem) {
    report(path, problem.message, problem.fix);
    return required(anyValue());
  }
  if ("coerce" in def && def.coerce) report(path, unsupported.coerce.message, unsupported.coerce.fix);

  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
      return required({ type: def.type });
    case "enum":
    case "literal":
      return required(convertEnum(literalValues(schema) ?? [], path, report));
    case "template_literal":
      return required(convertTemplate(schema, path, report));
    case "any":
    case "unknown":
      return required(anyValue());
    case "array":
      return required({ type: "array", items: convertItem(def.element, `${path}[]`, convert, report) });
    case "object":
      return required(convertObject(def, path, convert, report));
    case "record":
      return required(convertRecord(def, path, convert, report));
    case "union":
      return required(convertUnion(schema, def, path, convert, report));
    case "intersection":
      return required(
        mergeIntersection(convert(def.left, path).schema, convert(def.right, path).schema, path, report),
      );
    case "optional":
      return { ...convert(def.innerType, path), optional: true };
    case "nonoptional":
      return { ...convert(def.innerType, path), optional: false };
    case "readonly":
      return convert(def.innerType, path);
    case "nullable": {
      const field = convert(def.innerType, path);
      makeNullable(field.schema, path, report);
      return field;
    }
    case "default":
    case "prefault": {
      const { schema } = convert(def.innerType, path);
      const value = convertDefault(def, schema, path, report);
      if (value !== undefined) schema.default = value;
      return { schema, optional: true };
    }
    case "lazy": {
      const inner = def.getter();
      return isJson(def, inner) ? required(anyValue()) : convert(inner, path);
    }
    default:
      report(path, `z.${def.type}() is not supported in a Kubernetes schema`, "use another schema");
      return required(anyValue());
  }
}

function required(schema: SchemaDraft): ConvertedField {
  return { schema, optional: false };
}

function convertTemplate(schema: $ZodType, path: string, report: ReportProblem): SchemaDraft {
  const { pattern } = schema._zod;
  const problem = pattern ? patternProblem(pattern) : "this template has no pattern";
  if (problem) report(path, problem, "use z.string().regex(…)");
  return { type: "string", ...(pattern && { pattern: pattern.source }) };
}

/** Converts a list item or map value. Only fields have defaults, and lists have no holes. */
function convertItem(
  schema: $ZodType,
  path: string,
  convert: Convert,
  report: ReportProblem,
): StructuralSchema {
  const item = convert(schema, path);
  if (item.optional) report(path, unsupported.optionalItem.message, unsupported.optionalItem.fix);
  return item.schema;
}

function convertObject(
  def: $ZodObjectDef,
  path: string,
  convert: Convert,
  report: ReportProblem,
): SchemaDraft {
  const entries = Object.entries(def.shape);
  const converted: SchemaDraft = { type: "object" };
  const catchall = def.catchall?._zod.def.type;
  if (catchall === "unknown" || catchall === "any") converted["x-kubernetes-preserve-unknown-fields"] = true;
  else if (def.catchall && catchall !== "never") {
    if (entries.length > 0) {
      report(
        path,
        "a Kubernetes schema cannot have both named fields and a schema for all others",
        "put the others into a field of their own: z.record(z.string(), …)",
      );
    }
    return { ...converted, additionalProperties: convertItem(def.catchall, `${path}.*`, convert, report) };
  }
  return { ...converted, ...convertFields(entries, path, convert, report) };
}

function convertFields(
  entries: readonly (readonly [string, $ZodType])[],
  path: string,
  convert: Convert,
  report: ReportProblem,
): SchemaDraft {
  const properties: [string, StructuralSchema][] = [];
  const needed: string[] = [];
  for (const [name, schema] of entries) {
    const at = `${path}.${name}`;
    if (name === "__proto__") {
      report(at, "a field cannot have this name, which is reserved by JavaScript", "choose another name");
      continue;
    }
    const field = convert(schema, at);
    properties.push([name, field.schema]);
    if (!field.optional) needed.push(name);
  }
  return {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** Converts a record to a map, or to an object if its keys are enumerated. */
function convertRecord(
  def: $ZodRecordDef,
  path: string,
  convert: Convert,
  report: ReportProblem,
): SchemaDraft {
  const { keyType, valueType } = def;
  const keys = literalValues(keyType);
  if (keys) {
    const optional = def.partial === true;
    const asOptional: Convert = (schema, at) => ({
      schema: convertItem(schema, at, convert, report),
      optional,
    });
    const entries = keys.map((key) => [String(key), valueType] as const);
    return { type: "object", ...convertFields(entries, path, asOptional, report) };
  }
  if (keyType._zod.def.type !== "string" || checksOf(keyType).length > 0) {
    report(
      path,
      "a Kubernetes schema cannot restrict the keys of a map",
      'use z.string() for the keys, and rule(map, "self.all(key, key.matches(\'^[a-z]+$\'))", "message")',
    );
  }
  return { type: "object", additionalProperties: convertItem(valueType, `${path}.*`, convert, report) };
}
