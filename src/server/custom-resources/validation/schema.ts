import { fieldErrors, type Json, type StructuralSchema } from "../../../model/core.js";
import { omitValue } from "../../../model/object/bad-value.js";
import { childPath, type FieldPath, indexPath, keyPath } from "../../../model/object/field-path.js";
import { checkPattern } from "../../../model/regex/pattern.js";
import { findField } from "./field-path.js";
import { defaultErrors } from "./schema-defaults.js";
import { structuralErrors } from "./structural-errors.js";

type FieldError = fieldErrors.FieldError;

/** Checks the CEL rules of an otherwise valid schema. */
export type CheckRules = (schema: StructuralSchema, path: FieldPath) => FieldError[];

/** Faults of a version's schema. Defaults and rules are checked once it is structural. */
export function validateSchema(
  schema: StructuralSchema,
  path: FieldPath,
  options: { readonly statusEnabled: boolean; readonly checkRules?: CheckRules | undefined },
): FieldError[] {
  const errors = options.statusEnabled ? validateRoot(schema, path) : [];
  errors.push(...structuralErrors(schema, path));
  validateKeywords(schema, path, { depth: 0, insideMeta: false }, errors);
  if (errors.length === 0) errors.push(...defaultErrors(schema, path));
  return errors.length === 0 ? (options.checkRules?.(schema, path) ?? []) : errors;
}

/** Keywords allowed at the root when there is a status subresource, as Kubernetes lists them. */
const allowedAtRoot =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const rootKeywords = new Set([
  ...allowedAtRoot.split(" ").map((name) => name.charAt(0).toLowerCase() + name.slice(1)),
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);

/** Checks that the root has only keywords that survive the separate validation of the status. */
function validateRoot(schema: StructuralSchema, path: FieldPath): FieldError[] {
  const why = "of the schema if the status subresource is enabled";
  if (schema.type !== undefined && schema.type !== "object") {
    const detail = `only "object" is allowed as the type at the root ${why}`;
    return [fieldErrors.invalid(childPath(path, "type"), schema.type, detail)];
  }
  const other = Object.entries(schema).some(([key, value]) => !rootKeywords.has(key) && !isEmpty(value));
  const detail = `only [${allowedAtRoot}] fields are allowed at the root ${why}`;
  return other ? [fieldErrors.invalid(path, omitValue, detail)] : [];
}

/** Values that Go does not distinguish from absent fields. */
function isEmpty(value: Json): boolean {
  return value === false || value === "" || (Array.isArray(value) && value.length === 0);
}

interface Place {
  readonly depth: number;
  /** Inside the apiVersion, kind or metadata of the root or an embedded object. */
  readonly insideMeta: boolean;
}

const metaFields = new Set(["metadata", "kind", "apiVersion"]);

/** Maximum depth of structural schemas. */
const deepest = 260;

/** Checks beyond structure: patterns and field paths of rules. */
function validateKeywords(
  schema: StructuralSchema,
  path: FieldPath,
  place: Place,
  errors: FieldError[],
): void {
  if (Object.hasOwn(schema, "$schema")) {
    errors.push(fieldErrors.invalid(path, "", "OpenAPIV3Schema 'schema' is not supported"));
  }
  if (schema.pattern) {
    const fault = checkPattern(schema.pattern);
    const detail = `must be a valid regular expression, but isn't: ${fault}`;
    if (fault !== undefined)
      errors.push(fieldErrors.invalid(childPath(path, "pattern"), schema.pattern, detail));
  }
  if (place.insideMeta && schema["x-kubernetes-embedded-resource"]) {
    const at = childPath(path, "x-kubernetes-embedded-resource");
    errors.push(fieldErrors.forbidden(at, "must not be used inside of resource meta"));
  }
  for (const [index, { fieldPath }] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    if (!fieldPath || findField(fieldPath, schema, { brackets: true }).fault === undefined) continue;
    const at = childPath(indexPath(childPath(path, "x-kubernetes-validations"), index), "fieldPath");
    errors.push(fieldErrors.invalid(at, fieldPath, "fieldPath must be a valid path"));
  }
  if (place.depth > deepest) return;
  const next = { depth: place.depth + 1, insideMeta: place.insideMeta };
  const isObject = place.depth === 0 || schema["x-kubernetes-embedded-resource"] === true;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = keyPath(childPath(path, "properties"), name);
    const isMeta = isObject && metaFields.has(name);
    validateKeywords(property, at, isMeta ? { ...next, insideMeta: true } : next, errors);
  }
  const { items, not, additionalProperties } = schema;
  if (items) validateKeywords(items, childPath(path, "items"), next, errors);
  if (not) validateKeywords(not, childPath(path, "not"), next, errors);
  if (typeof additionalProperties === "object") {
    validateAdditional(additionalProperties, childPath(path, "additionalProperties"), next, errors);
  }
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [index, part] of (schema[key] ?? []).entries()) {
      validateKeywords(part, indexPath(childPath(path, key), index), next, errors);
    }
  }
}

/** Defaults are not possible below additionalProperties of metadata. */
function validateAdditional(
  schema: StructuralSchema,
  path: FieldPath,
  place: Place,
  errors: FieldError[],
): void {
  if (place.insideMeta && schema.default !== undefined) {
    const why = "must not be set inside additionalProperties applying to object metadata";
    errors.push(fieldErrors.forbidden(childPath(path, "default"), why));
  }
  validateKeywords(schema, path, place, errors);
}
