import type { ManagedFieldsEntry } from "../object/object.js";
import { type Json, jsonEqual } from "../object/json.js";

/**
 * The entries to store with an object that is otherwise just what is stored already: where they differ from the stored
 * ones in nothing but their times, the stored ones, so that there is nothing to write. An apply can come to this when
 * what it removes is put back by a default.
 */
export function reuseTimes(
  stored: readonly ManagedFieldsEntry[] | undefined,
  entries: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  if (stored === undefined || entries === undefined || stored.length !== entries.length) return entries;
  const same = stored.every((entry, index) => jsonEqual(withoutTime(entry), withoutTime(entries[index])));
  return same ? stored : entries;
}

function withoutTime(entry: ManagedFieldsEntry | undefined): Json {
  const { time: _, ...rest } = entry ?? {};
  return rest;
}
