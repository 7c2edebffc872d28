import { hasRules, validateRules } from "../cel/rules/validate-rules.js";
import { type FieldError, type FieldErrorType, invalid } from "../object/field-errors.js";
import { getOwn, type Json, type MutableObject } from "../object/json.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { applyDefaults } from "./defaulting.js";
import { validateEmbeddedResources } from "./embedded-resources.js";
import { distinct, ErrorCollector } from "./validation/error-collector.js";
import { rootField } from "../object/path-stack.js";
import { validateListTypes } from "./validation/list-types.js";
import type { ObjectSchema } from "./object-schema.js";
import { pruneRoot, pruneValue } from "./pruning.js";
import { correlate } from "./validation/ratcheting.js";
import { fieldNode, compiledNode, type CompiledNode } from "./compiled-node.js";
import { validateValue } from "./validation/validate-value.js";

/** Options for {@link compileSchema}. */
export interface CompileOptions {
  /**
   * The schema itself describes apiVersion, kind and metadata. Default: they have the form that every object
   * has.
   */
  readonly builtIn?: boolean;
}

/**
 * Compiles the schema of a kind, as Kubernetes does with the openAPIV3Schema of a CustomResourceDefinition.
 * Parts are compiled on first use.
 *
 * @example
 * const notes = compileSchema({
 *   type: "object",
 *   properties: { spec: { type: "object", properties: { pages: { type: "integer", default: 1 } } } },
 * });
 * notes.prune({ spec: { pages: "two", color: "red" } }); // ["spec.color"]
 */
export function compileSchema(schema: StructuralSchema, options: CompileOptions = {}): ObjectSchema {
  const { builtIn = false } = options;
  let features: Features | undefined;
  return {
    applyDefaults(object) {
      applyDefaults(compiledNode(schema), object as MutableObject, !builtIn);
    },
    prune(object) {
      const root = compiledNode(schema);
      return builtIn ? pruneValue(root, object as MutableObject) : pruneRoot(root, object as MutableObject);
    },
    validate(object, old, { statusOnly = false, tolerate } = {}) {
      const root = compiledNode(schema);
      features ??= featuresOf(schema);
      const value = object as MutableObject;
      const before = old as MutableObject | undefined;
      let errors = statusOnly ? validateStatus(root, value, before) : validateSchema(root, value, before);
      if (features.embedded && !statusOnly) errors = errors.concat(validateEmbeddedResources(root, value));
      const repeated = validateListTypes(root, value, before);
      // Duplicates that are stored already may stay.
      const isNew = repeated.length > 0 && (!before || validateListTypes(root, before).length === 0);
      if (isNew) errors = errors.concat(repeated);
      if (features.rules) errors = errors.concat(checkRules(root, value, before, errors, tolerate));
      return errors;
    },
  };
}

/**
 * Validates a value. The old value is only compared if there are errors, because valid values need no
 * ratcheting.
 */
function validateSchema(root: CompiledNode, value: Json, old: Json | undefined, base = ""): FieldError[] {
  const collector = new ErrorCollector(base);
  validateValue(root, value, undefined, collector, old);
  if (collector.errors.length === 0 || old === undefined) return distinct(collector.errors);
  const changes = new ErrorCollector(base);
  validateValue(root, value, correlate(root, value, old), changes);
  return distinct(changes.errors);
}

/**
 * Validates the status alone. Kubernetes treats it as an object of its own, so messages name its fields
 * without the prefix `status`.
 */
function validateStatus(
  root: CompiledNode,
  object: MutableObject,
  old: MutableObject | undefined,
): FieldError[] {
  const node = fieldNode(root, "status");
  const status = getOwn(object, "status");
  if (!node || status === undefined) return [];
  return validateSchema(node, status, old && getOwn(old, "status"), "status");
}

/** Errors that prevent rules from running: rules rely on the types and limits of the schema. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

function checkRules(
  root: CompiledNode,
  value: Json,
  old: Json | undefined,
  errors: readonly FieldError[],
  tolerate: ((error: FieldError) => void) | undefined,
): FieldError[] {
  if (errors.some(({ type }) => blocking.has(type))) {
    const why =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return [invalid(rootField, null, why)];
  }
  const correlation = old === undefined ? undefined : correlate(root, value, old);
  return validateRules(root.schema, value, old, correlation, tolerate);
}

/** Features that occur anywhere in a schema, so that objects are not searched in vain. */
interface Features {
  readonly embedded: boolean;
  readonly rules: boolean;
}

function featuresOf(root: StructuralSchema): Features {
  let embedded = false;
  const open: StructuralSchema[] = [root];
  for (let schema = open.pop(); schema; schema = open.pop()) {
    embedded ||= schema["x-kubernetes-embedded-resource"] === true;
    const { properties, additionalProperties, items } = schema;
    if (properties) for (const property of Object.values(properties)) open.push(property);
    if (typeof additionalProperties === "object") open.push(additionalProperties);
    if (items) open.push(items);
  }
  return { embedded, rules: hasRules(root) };
}
