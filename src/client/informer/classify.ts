import type { Json, KubeObject } from "../../model/core.js";
import { jsonEqual } from "../../model/object/json.js";
import type { ChangeType } from "./source.js";

/**
 * What happened between two versions of one object; undefined when nothing that matters differs. A server's bookkeeping
 * (resourceVersion, managedFields) does not matter. UPDATED: anything differs but the status, whatever the generation says,
 * since not everybody counts every change. STATUS_UPDATED: only the status differs.
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
 * Whether both are versions of one object, and not two that had the same name one after the other. What has no uid, such
 * as an object that comes from elsewhere than an API server, is known by its name alone.
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
