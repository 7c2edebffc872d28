import { fieldErrors, names as nameRules } from "../../../model/core.js";
import { childPath, type FieldPath, indexPath } from "../../../model/object/field-path.js";
import type { DefinitionNames } from "../definition.js";

type FieldError = fieldErrors.FieldError;

/** Checks the names that a spec requires; the status may lack them. */
export function validateRequiredNames(names: DefinitionNames, path: FieldPath): FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((field) => !names[field])
    .map((field) => fieldErrors.required(childPath(path, field)));
}

/** Faults of names. */
export function validateNames(names: DefinitionNames | undefined, path: FieldPath): FieldError[] {
  if (!names) return [];
  const errors: FieldError[] = [];
  const check = (at: FieldPath, name: string, faults: readonly string[], preface = ""): void => {
    if (faults.length > 0) errors.push(fieldErrors.invalid(at, name, preface + faults.join(",")));
  };
  for (const field of ["plural", "singular"] as const) {
    const name = names[field];
    if (name) check(childPath(path, field), name, nameRules.validateDns1035Label(name));
  }
  for (const field of ["kind", "listKind"] as const) {
    const name = names[field];
    if (!name) continue;
    const faults = nameRules.validateDns1035Label(name.toLowerCase());
    check(childPath(path, field), name, faults, "may have mixed case, but should otherwise match: ");
  }
  for (const [index, name] of (names.shortNames ?? []).entries()) {
    check(indexPath(childPath(path, "shortNames"), index), name, nameRules.validateDns1035Label(name));
  }
  if (names.kind && names.kind === names.listKind) {
    const why = "kind and listKind may not be the same";
    errors.push(fieldErrors.invalid(childPath(path, "listKind"), names.listKind, why));
  }
  for (const [index, name] of (names.categories ?? []).entries()) {
    check(indexPath(childPath(path, "categories"), index), name, nameRules.validateDns1035Label(name));
  }
  return errors;
}
