import { fieldErrors, type Json, type StructuralSchema } from "../../../model/core.js";
import { childPath, type FieldPath, keyPath } from "../../../model/object/field-path.js";
import { compileSchema } from "../../../model/structural/compile-schema.js";

type FieldError = fieldErrors.FieldError;

/** A default, and the schema it has to fit. */
interface Default {
  readonly value: Json;
  readonly schema: StructuralSchema;
  /** Where it stands in the definition. */
  readonly path: FieldPath;
}

/** Defaults of a structural schema that break it, or that would be pruned. */
export function defaultErrors(root: StructuralSchema, path: FieldPath): FieldError[] {
  const defaults: Default[] = [];
  collect(root, path, defaults);
  return defaults.flatMap(check);
}

/** Not below additionalProperties, where Kubernetes does not look either. */
function collect(schema: StructuralSchema, path: FieldPath, defaults: Default[]): void {
  if (schema.default !== undefined) {
    defaults.push({ value: schema.default, schema, path: childPath(path, "default") });
  }
  if (schema.items) collect(schema.items, childPath(path, "items"), defaults);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    collect(property, keyPath(childPath(path, "properties"), name), defaults);
  }
}

/** The default is looked at as the one field of an object, named so that what is found has the right path. */
function check({ value, schema, path }: Default): FieldError[] {
  const rules = compileSchema({ type: "object", properties: { [path]: schema } });
  const errors: FieldError[] = [];
  const unknown = rules.prune({ [path]: structuredClone(value) });
  if (unknown.length > 0) errors.push(fieldErrors.invalid(path, value, "must not have unknown fields"));
  errors.push(...rules.validate({ [path]: value }));
  return errors;
}
