import { type FieldError, invalid, notSupported, required, tooLong } from "./field-errors.js";
import { childPath, type FieldPath, indexPath } from "./field-path.js";
import type { ManagedFieldsEntry } from "./object.js";
import { utf8Length } from "./utf8.js";

const maxManagerBytes = 128;
const maxSubresourceBytes = 256;
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Validates the entries of `managedFields`. */
export function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const count = entries?.length ?? 0;
  for (let index = 0; index < count; index++) {
    const entry = entries?.[index] ?? {};
    const at = (field: string): FieldPath => childPath(indexPath(path, index), field);
    const operation: string | undefined = entry.operation;
    const fieldsType: string | undefined = entry.fieldsType;
    if (!operation) errors.push(required(at("operation"), "must not be empty"));
    else if (operation !== "Apply" && operation !== "Update") {
      errors.push(notSupported(at("operation"), operation, ["Apply", "Update"]));
    }
    if (fieldsType && fieldsType !== "FieldsV1") {
      errors.push(invalid(at("fieldsType"), fieldsType, "must be `FieldsV1`"));
    }
    errors.push(...validateFieldManager(entry.manager ?? "", at("manager")));
    if (utf8Length(entry.subresource ?? "") > maxSubresourceBytes) {
      errors.push(tooLong(at("subresource"), maxSubresourceBytes));
    }
  }
  return errors;
}

/** Validates the name of a field manager. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  if (manager.length * 3 <= maxManagerBytes && !unprintable.test(manager)) return [];
  // Each error below quotes the whole name, so a very long one gets a single error.
  if (utf8Length(manager) > maxManagerBytes) return [tooLong(path, maxManagerBytes)];
  const errors: FieldError[] = [];
  let position = 0;
  for (const character of manager) {
    if (unprintable.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(character);
  }
  return errors;
}
