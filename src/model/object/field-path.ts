/**
 * Where in an object something is: `spec.ports[0].name`, `metadata.labels[app]`. A path is plain text; these
 * functions only spell it. The empty path is the object itself.
 */
export type FieldPath = string;

/**
 * The path of a field below `path`.
 *
 * @example
 * childPath("spec", "template", "name"); // "spec.template.name"
 */
export function childPath(path: FieldPath, ...names: readonly string[]): FieldPath {
  let result = path;
  for (const name of names) result = result === "" ? name : `${result}.${name}`;
  return result;
}

/** The path of an item of the list at `path`. */
export function indexPath(path: FieldPath, index: number): FieldPath {
  return `${path}[${index}]`;
}

/** The path of an entry of the map at `path`. */
export function keyPath(path: FieldPath, key: string): FieldPath {
  return `${path}[${key}]`;
}
