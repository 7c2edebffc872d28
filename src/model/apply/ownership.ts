import { type FieldOwner, type FieldOwners, withFields } from "./field-owner.js";
import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  type FieldSetPath,
  pathsOf,
} from "./fields/field-set.js";
import { compareUtf8 } from "./fields/canonical-json.js";
import type { VersionChanges, KindVersions } from "./kind-versions.js";
import { adaptToType } from "./typed/adapt.js";
import type { FieldType } from "./typed/field-type.js";

/** Field that a write would change and somebody else owns. */
export interface FieldConflict {
  readonly owner: FieldOwner;
  readonly path: FieldSetPath;
}

/**
 * Finds fields of others that a change would modify, sorted by owner id. Removals are not conflicts, because
 * nobody can own a missing field.
 */
export function conflictsOf(owners: FieldOwners, changes: VersionChanges, writer: string): FieldConflict[] {
  const touched: [id: string, owner: FieldOwner, fields: FieldSet][] = [];
  for (const [id, owner] of owners) {
    const change = id === writer ? undefined : changes.forVersion(owner.apiVersion);
    if (change !== undefined) touched.push([id, owner, intersection(owner.fields, change.written)]);
  }
  touched.sort(([left], [right]) => compareUtf8(left, right));
  return touched.flatMap(([, owner, fields]) => pathsOf(fields).map((path) => ({ owner, path })));
}

/**
 * Owners after a change: everybody but `writer` loses the fields that were added, modified or removed. Owners
 * without fields, and owners in versions that no longer exist, are dropped.
 */
export function transferOwnership(
  owners: FieldOwners,
  changes: VersionChanges,
  writer: string | undefined,
): Map<string, FieldOwner> {
  const kept = new Map<string, FieldOwner>();
  for (const [id, owner] of owners) {
    let { fields } = owner;
    if (id !== writer) {
      const change = changes.forVersion(owner.apiVersion);
      if (change === undefined) continue;
      fields = difference(difference(fields, change.written), change.removed);
    }
    if (!isEmpty(fields)) kept.set(id, withFields(owner, fields));
  }
  return kept;
}

/** Type that a set was last adapted to, so that unchanged sets are not walked again. */
const adaptedTo = new WeakMap<FieldSet, FieldType>();

/** Records that a set matches a type, because it was created from it. */
export function markAdapted(fields: FieldSet, type: FieldType): void {
  if (adaptedTo.get(fields) !== type) adaptedTo.set(fields, type);
}

/** Adapts the sets of owners to the current schemas; returns the same map if nothing changes. */
export function adaptOwners(owners: FieldOwners, versions: KindVersions): FieldOwners {
  let changed: Map<string, FieldOwner> | undefined;
  for (const [id, owner] of owners) {
    const type = versions.types.get(owner.apiVersion);
    if (type === undefined) {
      (changed ??= new Map(owners)).delete(id);
      continue;
    }
    if (adaptedTo.get(owner.fields) === type) continue;
    const fields = adaptToType(owner.fields, type);
    adaptedTo.set(fields, type);
    if (fields !== owner.fields) (changed ??= new Map(owners)).set(id, withFields(owner, fields));
  }
  return changed ?? owners;
}
