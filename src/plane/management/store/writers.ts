import { isDeepStrictEqual } from "node:util";
import type { FieldChange, KubeObject, ManagedFieldsEntry, ValuePath } from "../../../model/core.js";

/**
 * Field managers that made the changes, and the time: managers that own a changed field, preferably those whose entry in
 * managedFields is new. Entries have a resolution of one second, so an entry may be equal to the one before.
 */
export function writers(
  { metadata }: KubeObject,
  before: KubeObject | undefined,
  changes: readonly FieldChange[],
): { readonly managers: readonly string[]; readonly time: string | undefined } {
  const entries = (metadata.managedFields ?? []).toSorted(byTime);
  const old = before?.metadata.managedFields ?? [];
  const isNew = (entry: ManagedFieldsEntry): boolean => !old.some((other) => isDeepStrictEqual(entry, other));
  const owners = entries.filter(({ fieldsV1 }) => changes.some(({ path }) => hasPath(fieldsV1, path)));
  const choices = [owners.filter(isNew), owners.slice(-1), entries.filter(isNew), entries.slice(-1)];
  const by = choices.find((choice) => choice.length > 0) ?? [];
  return {
    managers: [...new Set(by.map(({ manager }) => manager ?? "unknown"))],
    time: by.at(-1)?.time ?? (before === undefined ? (metadata.creationTimestamp ?? undefined) : undefined),
  };
}

/** Tests whether `fieldsV1` covers a path; a path into a list is covered by the list. */
function hasPath(fields: unknown, path: ValuePath): boolean {
  let level = fields as Readonly<Record<string, unknown>> | undefined;
  for (const part of path) {
    if (typeof part === "number" || typeof level !== "object") return level !== undefined;
    if (!Object.hasOwn(level, `f:${part}`)) return false;
    level = level[`f:${part}`] as typeof level;
  }
  return path.length > 0;
}

function byTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (a.time ?? "") < (b.time ?? "") ? -1 : (a.time ?? "") > (b.time ?? "") ? 1 : 0;
}
