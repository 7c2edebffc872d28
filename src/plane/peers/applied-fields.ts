import {
  emptySet,
  intersection,
  isEmpty,
  leaves,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
  type FieldSet,
  type FieldSetPath,
} from "../../model/apply/fields/field-set.js";
import {
  fieldElement,
  fieldName,
  parseElement,
  renderPath,
  type PathElement,
} from "../../model/apply/fields/path-element.js";
import { parseFieldsV1 } from "../../model/apply/fields/fields-v1.js";
import type { Json, KubeObject, ManagedFieldsEntry } from "../../model/core.js";
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  jsonEqual,
  setOwn,
  type JsonObject,
  type MutableObject,
} from "../../model/object/json.js";
import { hashOf, isLocalAnnotation } from "./content.js";
import { isPeerEntry, type ObjectVersion } from "./object-version.js";

/*
 * The policy `field-managers`: each plane contributes the fields that its own managers own. They are applied here under one field
 * manager per peer, without force, so that fields of others stay. A field that somebody here owns with another value is left out.
 *
 * Fields that a plane itself has from its peers are passed on only along the path of a copy. Otherwise a field would come back to
 * the plane that removed it.
 */

/** Fields of a peer for an object here. */
export interface FieldContribution {
  /** The object with the fields to apply, without annotations of the synchronisation. */
  readonly object: KubeObject;
  /** Fields that are left out, because somebody here owns them with another value: `.spec.title`. */
  readonly refused: readonly string[];
  /** Hash of these fields and their values. */
  readonly refusal: string;
}

/** Computes the fields of a peer to apply under `manager`; `isSupported` if the object here is a copy that came from the peer. */
export function contributionOf(
  remote: ObjectVersion,
  local: KubeObject | undefined,
  manager: string,
  isSupported: boolean,
): FieldContribution {
  const { metadata } = remote.object;
  const passesOn = isSupported && remote.path.length > 0;
  const offered =
    metadata.managedFields === undefined || metadata.managedFields.length === 0
      ? allFields(remote)
      : fieldsOf(metadata.managedFields, (entry) => passesOn || !isPeerEntry(entry));
  const ownedHere = fieldsOf(local?.metadata.managedFields, (entry) => entry.manager !== manager);
  const refused = pathsOf(leaves(intersection(offered, ownedHere))).filter(
    (path) => !isSame(valueAt(remote.object, path), local && valueAt(local, path)),
  );
  const accepted = recursiveDifference(offered, setOf(...refused));
  const fields = extract(remote.object as unknown as Json, accepted);
  const { metadata: extracted, ...rest } = isJsonObject(fields) ? fields : {};
  const { name = "", namespace } = metadata;
  return {
    object: {
      apiVersion: remote.object.apiVersion,
      kind: remote.object.kind,
      metadata: { ...(extracted as object), name, ...(namespace !== undefined && { namespace }) },
      ...rest,
    },
    refused: refused.map(renderPath),
    refusal: hashOf(
      refused.map((path) => [valueAt(remote.object, path), local && valueAt(local, path)]) as Json,
    ),
  };
}

/** True if a manager owns fields of an object. */
export function hasFieldsOf({ metadata }: KubeObject, manager: string): boolean {
  return (metadata.managedFields ?? []).some((entry) => entry.manager === manager && !entry.subresource);
}

/** Synchronised fields of some entries. */
function fieldsOf(
  entries: readonly ManagedFieldsEntry[] = [],
  isCounted: (entry: ManagedFieldsEntry) => boolean,
): FieldSet {
  let all = emptySet;
  for (const entry of entries) {
    if (!entry.subresource && isCounted(entry)) all = union(all, contentFields(entry.fieldsV1));
  }
  return all;
}

/** All synchronised fields of an object that does not record who owns them. */
function allFields({ content: { fields, labels, annotations } }: ObjectVersion): FieldSet {
  const paths = [
    ...Object.keys(fields).map((name) => [fieldElement(name)]),
    ...Object.keys(labels).map((name) => ["f:metadata", "f:labels", fieldElement(name)]),
    ...Object.keys(annotations).map((name) => ["f:metadata", "f:annotations", fieldElement(name)]),
  ];
  return setOf(...paths);
}

/** Fields without those that stay on their plane. */
function contentFields(fieldsV1: JsonObject | undefined): FieldSet {
  const { "f:metadata": metadata, "f:status": _, ...rest } = parseFieldsV1(fieldsV1);
  const { "f:labels": labels, "f:annotations": annotations = emptySet } = metadata ?? emptySet;
  const kept = Object.entries(annotations).filter(
    ([element]) => element !== "." && !isLocalAnnotation(fieldName(element) ?? ""),
  );
  const below = {
    ...(kept.length > 0 && { "f:annotations": Object.fromEntries(kept) }),
    ...(labels !== undefined && { "f:labels": labels }),
  };
  return isEmpty(below) ? rest : { "f:metadata": below, ...rest };
}

/** The part of a value that a set covers; list items with their keys. */
function extract(value: Json, set: FieldSet): Json {
  if (isEmpty(set)) return value;
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => {
      const element = Object.keys(set).find((each) => selects(each, item, index));
      const below = element === undefined ? undefined : set[element];
      if (element === undefined || below === undefined) return [];
      const part = extract(item, below);
      return [isJsonObject(part) ? { ...keysOf(element), ...part } : part];
    });
  }
  if (!isJsonObject(value)) return value;
  const part: MutableObject = {};
  for (const [element, below] of Object.entries(set)) {
    const name = fieldName(element);
    const field = name === undefined ? undefined : getOwn(value, name);
    if (name !== undefined && field !== undefined) setOwn(part, name, extract(field, below));
  }
  return part;
}

function valueAt(object: KubeObject, path: FieldSetPath): Json | undefined {
  let value: Json | undefined = object as unknown as Json;
  for (const element of path) {
    const name = fieldName(element);
    if (isJsonArray(value)) value = value.find((item, index) => selects(element, item, index));
    else value = isJsonObject(value) && name !== undefined ? getOwn(value, name) : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** True if a path element stands for an item of a list. */
function selects(element: PathElement, item: Json, index: number): boolean {
  if (element.startsWith("v:")) return parseElement(`v:${JSON.stringify(item)}`) === element;
  if (element.startsWith("i:")) return element === `i:${index}`;
  if (!element.startsWith("k:") || !isJsonObject(item)) return false;
  return Object.entries(keysOf(element)).every(([name, value]) => isSame(getOwn(item, name), value));
}

function keysOf(element: PathElement): JsonObject {
  return element.startsWith("k:") ? (JSON.parse(element.slice(2)) as JsonObject) : {};
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : jsonEqual(one, other);
}
