import { compileRelaxedPath } from "./json-path-template.js";

/**
 * Sorts by the value at a path: numbers, and numbers within names, by size, everything else as text. Objects without
 * the field come first.
 */
export function sortBy<T>(things: readonly T[], path: string, objectOf: (thing: T) => unknown): readonly T[] {
  const find = compileRelaxedPath(path);
  const keyed = things.map((thing) => ({ thing, key: find(objectOf(thing))[0] }));
  return keyed.toSorted((a, b) => compareValues(a.key, b.key)).map(({ thing }) => thing);
}

const collator = new Intl.Collator("en", { numeric: true });

function compareValues(a: unknown, b: unknown): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(b)) - Number(isMissing(a));
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(textOf(a), textOf(b));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
