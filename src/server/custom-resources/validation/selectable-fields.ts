import { fieldErrors, type StructuralSchema } from "../../../model/core.js";
import { childPath, type FieldPath, indexPath } from "../../../model/object/field-path.js";
import { findField } from "./field-path.js";

type FieldError = fieldErrors.FieldError;

const most = 8;
const selectableTypes = new Set<string | undefined>(["string", "boolean", "integer"]);

/** Faults of selectable fields. */
export function validateSelectableFields(
  fields: readonly { readonly jsonPath?: string }[],
  schema: StructuralSchema | undefined,
  path: FieldPath,
  { unlimited }: { readonly unlimited: boolean },
): FieldError[] {
  if (!schema) {
    return [
      fieldErrors.invalid(path, "", "may only be set when `version.schema.openAPIV3Schema` is not included"),
    ];
  }
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = childPath(indexPath(path, index), "jsonPath");
    if (!jsonPath) {
      errors.push(fieldErrors.required(at));
      continue;
    }
    const found = findField(jsonPath, schema, { brackets: false });
    if (found.fault !== undefined) {
      errors.push(fieldErrors.invalid(at, jsonPath, `is an invalid path: ${found.fault}`));
      continue;
    }
    if (found.fields[0] === "metadata") {
      errors.push(fieldErrors.invalid(at, jsonPath, "must not point to fields in metadata"));
    }
    if (!selectableTypes.has(found.schema?.type)) {
      const must =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(fieldErrors.invalid(at, jsonPath, must));
    }
    const name = found.fields.join(".");
    if (seen.has(name)) errors.push(fieldErrors.duplicate(at, jsonPath));
    seen.add(name);
  }
  if (seen.size > most && !unlimited) errors.push(fieldErrors.tooMany(path, seen.size, most));
  return errors;
}
