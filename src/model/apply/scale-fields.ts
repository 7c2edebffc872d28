import type { ManagedFieldsEntry } from "../object/object.js";
import { managedFieldsOf, type FieldOwner, storedOwners, ownerId, withFields } from "./field-owner.js";
import { difference, hasField, isEmpty, type FieldSetPath, setOf } from "./fields/field-set.js";
import { fieldElement } from "./fields/path-element.js";
import { objectType } from "./typed/field-type.js";

/*
 * The scale of an object is an object of its own, in another group and with another path to the replicas. Its
 * writes are recorded on the scale, with the entries of the owners of the replicas; then the result is copied
 * back.
 */

/** Type of `autoscaling/v1` Scale. */
export const scaleType = objectType({
  type: "object",
  properties: {
    spec: { type: "object", properties: { replicas: { type: "integer" } } },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
  },
});

const scaleVersion = "autoscaling/v1";
const replicasOfScale: FieldSetPath = [fieldElement("spec"), fieldElement("replicas")];

/**
 * Path of the replicas by apiVersion; undefined for a version without scale. Entries of other versions are
 * dropped.
 */
export type ReplicasPaths = ReadonlyMap<string, FieldSetPath | undefined>;

/** Converts a JSON path, such as `.spec.replicas`. */
export function replicasPath(jsonPath: string): FieldSetPath {
  return jsonPath.replace(/^\./, "").split(".").map(fieldElement);
}

/** managedFields of the scale of an object: the owners of its replicas. */
export function scaleEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] | undefined {
  const owners: FieldOwner[] = [];
  for (const owner of storedOwners(parent).values()) {
    const path = paths.get(owner.apiVersion);
    if (path === undefined || !hasField(owner.fields, path)) continue;
    const { manager, operation, subresource, time } = owner;
    owners.push({
      manager,
      operation,
      apiVersion: scaleVersion,
      subresource,
      time,
      fields: setOf(replicasOfScale),
    });
  }
  return managedFieldsOf(owners);
}

/**
 * managedFields of an object after a write to its scale. Owners of the replicas of the scale own those of the
 * object; others lose them.
 */
export function parentEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] | undefined {
  const owners: FieldOwner[] = [];
  const ofScale = storedOwners(scale);
  const kept = new Set<string>();
  for (const owner of storedOwners(parent).values()) {
    if (!paths.has(owner.apiVersion)) continue;
    const path = paths.get(owner.apiVersion);
    // The version is part of an updater's identity, and is that of the scale here.
    const id = ownerId({ ...owner, apiVersion: scaleVersion });
    if (path === undefined || !hasField(owner.fields, path) || ofScale.has(id)) {
      if (path !== undefined && hasField(owner.fields, path)) kept.add(id);
      owners.push(owner);
      continue;
    }
    const fields = difference(owner.fields, setOf(path));
    if (!isEmpty(fields)) owners.push(withFields(owner, fields));
  }
  const path = paths.get(apiVersion);
  for (const [id, { manager, operation, subresource, fields }] of ofScale) {
    if (path === undefined || kept.has(id) || !hasField(fields, replicasOfScale)) continue;
    owners.push({ manager, operation, apiVersion, subresource, time: undefined, fields: setOf(path) });
  }
  return managedFieldsOf(owners);
}
