import { deepFreeze } from "../../object/freeze.js";
import type { ManagedFieldsEntry } from "../../object/object.js";
import type { FieldSet } from "./field-set.js";

/** What several objects have in common besides a set of fields: the last entry that says who owns them, and its JSON. */
interface SharedEntry {
  entry?: ManagedFieldsEntry;
  text?: string | undefined;
}

const sharedEntries = new WeakMap<object, SharedEntry>();

/** Takes note that more objects than one have a set: then it is worth remembering what is made of it. */
export function markShared(set: FieldSet): FieldSet {
  if (!sharedEntries.has(set)) sharedEntries.set(deepFreeze(set), {});
  return set;
}

/** The entry, or the last one with the same set when that says the same. */
export function reuseEntry(entry: ManagedFieldsEntry, set: FieldSet): ManagedFieldsEntry {
  const shared = sharedEntries.get(set);
  if (shared === undefined) return entry;
  if (shared.entry !== undefined && isSameEntry(shared.entry, entry)) return shared.entry;
  shared.entry = deepFreeze(entry);
  shared.text = undefined;
  return entry;
}

function isSameEntry(left: ManagedFieldsEntry, right: ManagedFieldsEntry): boolean {
  return (
    left.time === right.time &&
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.apiVersion === right.apiVersion &&
    left.subresource === right.subresource
  );
}

/** Takes note that more objects than one have these entries, all of them frozen. */
export function markEntriesShared(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  if (!sharedEntries.has(entries)) sharedEntries.set(Object.freeze(entries), {});
  return entries;
}

export function areEntriesShared(entries: readonly ManagedFieldsEntry[]): boolean {
  return sharedEntries.has(entries);
}

/** `metadata.managedFields` as JSON. What many objects have in common, which is most of it, is not made anew for each. */
export function encodeManagedFields(entries: readonly ManagedFieldsEntry[]): string {
  return Array.isArray(entries) ? `[${entries.map(encodeEntry).join(",")}]` : JSON.stringify(entries);
}

/** An entry as JSON. */
function encodeEntry(entry: ManagedFieldsEntry): string {
  const fields: unknown = entry?.fieldsV1;
  const shared = typeof fields === "object" && fields !== null ? sharedEntries.get(fields) : undefined;
  if (shared?.entry !== entry) return JSON.stringify(entry);
  return (shared.text ??= JSON.stringify(entry));
}
