import { isJsonObject, type Json, type JsonObject } from "../object/json.js";
import type { FieldOwner, FieldOwners } from "./field-owner.js";
import { difference, emptySet, type FieldSet, intersection, isEmpty, union } from "./fields/field-set.js";
import { inVersion, type KindVersions } from "./kind-versions.js";
import { fieldSetOf, withNamedFields } from "./typed/field-set-of.js";
import type { FieldType } from "./typed/field-type.js";
import { removeTyped } from "./typed/remove.js";

/**
 * Removes from a merged object what its applier no longer applies. A field or item is removed if
 *
 * - the applier owned it since its last apply (`last`),
 * - it is not in the configuration now, and
 * - nobody else owns it (`owners`, including the applier with its current fields).
 *
 * First, everything applied last time is removed; then, version by version, what somebody owns is restored;
 * finally, what was removed along with a container but never belonged to the applier is restored too. The
 * result is in the version of the merged object.
 */
export function pruneUnapplied(
  merged: JsonObject,
  owners: FieldOwners,
  last: FieldOwner,
  versions: KindVersions,
): JsonObject {
  const then = inVersion(merged, last.apiVersion, versions);
  if (then === undefined || isEmpty(last.fields)) return merged;
  const lastFields = withNamedFields(last.fields, then.type);
  const owned = ownedByVersion(owners, last.apiVersion);
  // Usually the same fields are applied again, and nothing is removed.
  if (isEmpty(difference(lastFields, withNamedFields(owned.get(last.apiVersion) ?? emptySet, then.type)))) {
    return merged;
  }

  let pruned = asObject(removeTyped(then.value, lastFields, then.type));
  for (const [apiVersion, fields] of owned) {
    const whole = inVersion(then.value, apiVersion, versions);
    const rest = inVersion(pruned, apiVersion, versions);
    if (whole === undefined || rest === undefined) continue;
    const kept = union(namedFields(rest.value, whole.type), withNamedFields(fields, whole.type));
    pruned = asObject(
      removeTyped(whole.value, difference(namedFields(whole.value, whole.type), kept), whole.type),
    );
  }

  const back = inVersion(pruned, last.apiVersion, versions)?.value ?? pruned;
  const removed = difference(namedFields(then.value, then.type), namedFields(back, then.type));
  const result = asObject(removeTyped(then.value, intersection(removed, lastFields), then.type));
  const apiVersion = merged["apiVersion"];
  return (
    (typeof apiVersion === "string" ? inVersion(result, apiVersion, versions)?.value : undefined) ?? result
  );
}

function namedFields(value: Json, type: FieldType): FieldSet {
  return withNamedFields(fieldSetOf(value, type), type);
}

/** Owned fields by version, that of `first` first, because the object is in it. */
function ownedByVersion(owners: FieldOwners, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  const order = [...owners.values()].sort(
    (a, b) => Number(b.apiVersion === first) - Number(a.apiVersion === first),
  );
  for (const { apiVersion, fields } of order) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? emptySet, fields));
  }
  return owned;
}

function asObject(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}
