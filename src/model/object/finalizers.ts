import { type FieldError, forbidden, invalid } from "./field-errors.js";
import { type FieldPath, indexPath } from "./field-path.js";
import { validateQualifiedName } from "./names.js";
import { quote } from "./quote.js";

/** Keeps an object until its dependents no longer name it as their owner. */
export const orphanFinalizer = "orphan";

/** Keeps an object until its dependents are gone. */
export const foregroundFinalizer = "foregroundDeletion";

/** The names that built-in kinds allow without a domain. */
const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", orphanFinalizer, foregroundFinalizer]);

/** Faults of the names of finalizers, and of two that contradict each other. */
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

/** The further rule of built-in kinds: a finalizer is a standard one or has a domain. */
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

/** Once an object is being deleted, finalizers may only go. */
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
