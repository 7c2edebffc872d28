import type { ManagedFieldsEntry } from "../object/object.js";
import { type Json, jsonEqual } from "../object/json.js";

/**
 * Returns the stored entries if the new ones differ only in their times, so that nothing has to be written.
 * Happens when a default restores what an apply removed.
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
