import { type FieldError, invalid, tooLong } from "./field-errors.js";
import type { FieldPath } from "./field-path.js";
import { validateLabelValue, validateQualifiedName } from "./names.js";
import { utf8Length } from "./utf8.js";

type TextMap = Readonly<Record<string, string>>;

/** Limit for the keys and values of all annotations together, in bytes. */
const annotationsLimit = 256 * 1024;

/** Validates the key of a label. */
export function validateLabelKey(key: string, path: FieldPath): FieldError[] {
  return validateQualifiedName(key).map((fault) => invalid(path, key, fault));
}

/** Validates keys and values of labels. */
export function validateLabels(labels: TextMap | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? "";
    errors.push(...validateLabelKey(key, path));
    for (const fault of validateLabelValue(value)) errors.push(invalid(path, value, fault));
  }
  return errors;
}

/** Validates keys and total size of annotations; values are free. */
export function validateAnnotations(annotations: TextMap | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in annotations) {
    const value = annotations[key] ?? "";
    // Unlike in a label key, the prefix may contain upper case.
    for (const fault of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, fault));
    size += utf8Length(key) + utf8Length(value);
  }
  if (size > annotationsLimit) errors.push(tooLong(path, annotationsLimit));
  return errors;
}
