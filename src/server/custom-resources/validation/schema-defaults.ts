import { fieldErrors, type Json, type StructuralSchema } from "../../../model/core.js";
import { childPath, type FieldPath, keyPath } from "../../../model/object/field-path.js";
import { compileSchema } from "../../../model/structural/compile-schema.js";

type FieldError = fieldErrors.FieldError;

/** A default and its schema. */
interface Default {
  readonly value: Json;
  readonly schema: StructuralSchema;
  /** Path in the definition. */
  readonly path: FieldPath;
}

/** Faults of defaults that do not match their schema or would be pruned. */
export function defaultErrors(root: StructuralSchema, path: FieldPath): FieldError[] {
  const defaults: Default[] = [];
  collect(root, path, defaults);
  return defaults.flatMap(check);
}

/** Not below additionalProperties, like in Kubernetes. */
function collect(schema: StructuralSchema, path: FieldPath, defaults: Default[]): void {
  if (schema.default !== undefined) {
    defaults.push({ value: schema.default, schema, path: childPath(path, "default") });
  }
  if (schema.items) collect(schema.items, childPath(path, "items"), defaults);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    collect(property, keyPath(childPath(path, "properties"), name), defaults);
  }
}

/** Validates the default as the only field of an object, named so that errors have the right path. */
function check({ value, schema, path }: Default): FieldError[] {
  const rules = compileSchema({ type: "object", properties: { [path]: schema } });
  const errors: FieldError[] = [];
  const unknown = rules.prune({ [path]: structuredClone(value) });
  if (unknown.length > 0) errors.push(fieldErrors.invalid(path, value, "must not have unknown fields"));
  errors.push(...rules.validate({ [path]: value }));
  return errors;
}
