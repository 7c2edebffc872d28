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

/** A field that somebody wants to change and somebody else owns. */
export interface FieldConflict {
  readonly owner: FieldOwner;
  readonly path: FieldSetPath;
}

/**
 * What a change would touch of the fields of others, in the order of the owners' ids. What is removed is no conflict:
 * nobody can own what is not there.
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
 * The owners after a change: the fields that it added, modified or removed are taken away from everybody but `writer`.
 * Whoever has nothing left is no owner any more, and neither is who owns fields of a version that is no longer known.
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

/** Sets that are known to fit a type, so that they need not be walked through with every write. */
const adaptedTo = new WeakMap<FieldSet, FieldType>();

/** Takes note that a set fits a type, because it was made by it. */
export function markAdapted(fields: FieldSet, type: FieldType): void {
  if (adaptedTo.get(fields) !== type) adaptedTo.set(fields, type);
}

/** The owners with their sets adapted to what the schemas say today; the same map when nothing had to be. */
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
