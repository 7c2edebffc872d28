import { type FieldError, forbidden, invalid } from "./field-errors.js";
import { type FieldPath, indexPath } from "./field-path.js";
import { validateQualifiedName } from "./names.js";
import { quote } from "./quote.js";

/** Finalizer that keeps an object until no dependent names it as its owner. */
export const orphanFinalizer = "orphan";

/** Finalizer that keeps an object until its dependents are deleted. */
export const foregroundFinalizer = "foregroundDeletion";

/** Finalizers without a domain that built-in kinds allow. */
const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", orphanFinalizer, foregroundFinalizer]);

/** Validates the names of finalizers, and that no two contradict each other. */
export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  if (!finalizers) return [];
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) {
    for (const fault of validateQualifiedName(finalizer)) errors.push(invalid(path, finalizer, fault));
  }
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    const detail = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
    errors.push(invalid(path, finalizers, detail));
  }
  return errors;
}

/** Validates the additional rule of built-in kinds: a finalizer is a standard one or has a domain. */
export function validateStandardFinalizers(
  finalizers: readonly string[] | undefined,
  path: FieldPath,
): FieldError[] {
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  const errors: FieldError[] = [];
  for (const [index, finalizer] of (finalizers ?? []).entries()) {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    errors.push(invalid(indexPath(path, index), finalizer, detail));
  }
  return errors;
}

/** Validates that no finalizers are added to an object that is being deleted. */
export function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  before: readonly string[] | undefined,
  path: FieldPath,
): FieldError[] {
  const existing = new Set(before);
  const added = [...new Set(finalizers)].filter((finalizer) => !existing.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map(quote).join(", ")}}`;
  return [
    forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ];
}
