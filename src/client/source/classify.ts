import type { Json, KubeObject } from "../../model/core.js";
import { jsonEqual } from "../../model/object/json.js";
import type { ChangeType } from "./source.js";

/**
 * Type of the change between two versions of an object; undefined when only the server's bookkeeping (resourceVersion,
 * managedFields) differs. UPDATED: anything besides the status differs, whatever the generation says, since not every change
 * increments it. STATUS_UPDATED: only the status differs.
 *
 * @example
 * classify(site, { ...site, status: { published: 3 } }); // "STATUS_UPDATED"
 */
export function classify(old: KubeObject, now: KubeObject): ChangeType | undefined {
  if (old === now) return undefined;
  const before = old.metadata;
  const after = now.metadata;
  if (before.resourceVersion && before.resourceVersion === after.resourceVersion) return undefined;
  if (!sameFields(before, after, isBookkeeping)) return "UPDATED";
  if (!sameFields(old, now, isHeaderOrStatus)) return "UPDATED";
  return sameValue(old.status, now.status) ? undefined : "STATUS_UPDATED";
}

/**
 * True if both are versions of one object, not two objects that had the same name one after the other. Objects without a uid,
 * such as those of a poller, are identified by name.
 */
export function sameObject(old: KubeObject, now: KubeObject): boolean {
  const { uid } = old.metadata;
  return !uid || !now.metadata.uid || uid === now.metadata.uid;
}

const isBookkeeping = (field: string): boolean => field === "resourceVersion" || field === "managedFields";
const isHeaderOrStatus = (field: string): boolean =>
  field === "metadata" || field === "status" || field === "apiVersion" || field === "kind";

/** Compares field by field, leaving some out; a field that is undefined counts as absent. */
function sameFields(old: object, now: object, skip: (field: string) => boolean): boolean {
  const before = old as Readonly<Record<string, unknown>>;
  const after = now as Readonly<Record<string, unknown>>;
  for (const field in after) {
    if (!skip(field) && !sameValue(before[field], after[field])) return false;
  }
  for (const field in before) {
    if (!skip(field) && before[field] !== undefined && after[field] === undefined) return false;
  }
  return true;
}

function sameValue(old: unknown, now: unknown): boolean {
  if (old === now) return true;
  if (old === undefined || now === undefined) return false;
  return jsonEqual(old as Json, now as Json);
}
