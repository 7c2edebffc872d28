import { deepFreeze } from "../../object/freeze.js";
import type { ManagedFieldsEntry } from "../../object/object.js";
import type { FieldSet } from "./field-set.js";

/** What several objects have in common besides a set of fields: the last entry that says who owns them, and its JSON. */
interface Shared {
  entry?: ManagedFieldsEntry;
  text?: string | undefined;
}

const known = new WeakMap<object, Shared>();

/** Takes note that more objects than one have a set: then it is worth remembering what is made of it. */
export function sharedSet(set: FieldSet): FieldSet {
  if (!known.has(set)) known.set(deepFreeze(set), {});
  return set;
}

/** The entry, or the last one with the same set when that says the same. */
export function sharedEntry(entry: ManagedFieldsEntry, set: FieldSet): ManagedFieldsEntry {
  const shared = known.get(set);
  if (shared === undefined) return entry;
  if (shared.entry !== undefined && isSame(shared.entry, entry)) return shared.entry;
  shared.entry = deepFreeze(entry);
  shared.text = undefined;
  return entry;
}

function isSame(left: ManagedFieldsEntry, right: ManagedFieldsEntry): boolean {
  return (
    left.time === right.time &&
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.apiVersion === right.apiVersion &&
    left.subresource === right.subresource
  );
}

/** Takes note that more objects than one have these entries, all of them frozen. */
export function sharedEntries(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  if (!known.has(entries)) known.set(Object.freeze(entries), {});
  return entries;
}

export function areShared(entries: readonly ManagedFieldsEntry[]): boolean {
  return known.has(entries);
}

/** `metadata.managedFields` as JSON. What many objects have in common, which is most of it, is not made anew for each. */
export function textOfEntries(entries: readonly ManagedFieldsEntry[]): string {
  return Array.isArray(entries) ? `[${entries.map(textOfEntry).join(",")}]` : JSON.stringify(entries);
}

/** An entry as JSON. */
function textOfEntry(entry: ManagedFieldsEntry): string {
  const fields: unknown = entry?.fieldsV1;
  const shared = typeof fields === "object" && fields !== null ? known.get(fields) : undefined;
  if (shared?.entry !== entry) return JSON.stringify(entry);
  return (shared.text ??= JSON.stringify(entry));
}
