/**
 * Path to a field: `spec.ports[0].name`, `metadata.labels[app]`. A plain string; these functions build it.
 * The empty path is the object itself.
 */
export type FieldPath = string;

/**
 * Appends field names to a path.
 *
 * @example
 * childPath("spec", "template", "name"); // "spec.template.name"
 */
export function childPath(path: FieldPath, ...names: readonly string[]): FieldPath {
  let result = path;
  for (const name of names) result = result === "" ? name : `${result}.${name}`;
  return result;
}

/** Appends a list index to a path. */
export function indexPath(path: FieldPath, index: number): FieldPath {
  return `${path}[${index}]`;
}

/** Appends a map key to a path. */
export function keyPath(path: FieldPath, key: string): FieldPath {
  return `${path}[${key}]`;
}
