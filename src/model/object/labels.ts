import { type FieldError, invalid, tooLong } from "./field-errors.js";
import type { FieldPath } from "./field-path.js";
import { validateLabelValue, validateQualifiedName } from "./names.js";
import { utf8Length } from "./utf8.js";

type TextMap = Readonly<Record<string, string>>;

/** Keys and values of all annotations together may take this many bytes. */
const annotationsLimit = 256 * 1024;

/** Faults of a label's key. */
export function validateLabelKey(key: string, path: FieldPath): FieldError[] {
  return validateQualifiedName(key).map((fault) => invalid(path, key, fault));
}

/** Faults of the keys and values of labels. */
export function validateLabels(labels: TextMap | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? "";
    errors.push(...validateLabelKey(key, path));
    for (const fault of validateLabelValue(value)) errors.push(invalid(path, value, fault));
  }
  return errors;
}

/** Faults of the keys of annotations, and their size; the values are free. */
export function validateAnnotations(annotations: TextMap | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in annotations) {
    const value = annotations[key] ?? "";
    // Unlike a label's, the prefix of an annotation may have capital letters.
    for (const fault of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, fault));
    size += utf8Length(key) + utf8Length(value);
  }
  if (size > annotationsLimit) errors.push(tooLong(path, annotationsLimit));
  return errors;
}
