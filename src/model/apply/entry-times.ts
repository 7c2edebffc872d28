import type { ManagedFieldsEntry } from "../object/object.js";
import type { Json } from "../object/json.js";
import { isSameJson } from "./typed/same-json.js";

/**
 * The entries to store with an object that is otherwise just what is stored already: where they differ from the stored
 * ones in nothing but their times, the stored ones, so that there is nothing to write. An apply can come to this when
 * what it removes is put back by a default.
 */
export function keepTimes(
  stored: readonly ManagedFieldsEntry[] | undefined,
  entries: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  if (stored === undefined || entries === undefined || stored.length !== entries.length) return entries;
  const same = stored.every((entry, index) => isSameJson(timeless(entry), timeless(entries[index])));
  return same ? stored : entries;
}

function timeless(entry: ManagedFieldsEntry | undefined): Json {
  const { time: _, ...rest } = entry ?? {};
  return rest;
}
