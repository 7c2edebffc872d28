import type { Json, JsonArray, JsonObject } from "../../object/json.js";
import {
  emptySet,
  type FieldSet,
  type FieldSetDraft,
  sortedSet,
  isEmpty,
  isMember,
  makeNode,
  self,
} from "../fields/field-set.js";
import { fieldElement, fieldName, isKeyElement } from "../fields/path-element.js";
import { type FieldType, type ListFieldType, type MapFieldType, atomicType } from "./field-type.js";
import { itemsByElement } from "./list-items.js";
import { asList, asMap, isEmptyMap, shapeOf } from "./shape.js";

/**
 * Fields of a configuration, which its applier will own: scalars, atomic values, list items, fields of maps
 * without declared fields, nulls and empty maps. Declared fields that contain others are not included:
 * setting `spec.replicas` does not own `spec`.
 */
export function fieldSetOf(value: Json, type: FieldType): FieldSet {
  return visit(value, type).below;
}

interface Mentioned {
  readonly member: boolean;
  readonly below: FieldSet;
}

const leaf: Mentioned = { member: true, below: emptySet };
const nothing: Mentioned = { member: false, below: emptySet };

function visit(value: Json, type: FieldType): Mentioned {
  switch (shapeOf(type, value)) {
    case "scalar":
      return leaf;
    case "list":
      return visitList(asList(value), type.list);
    default:
      return visitMap(asMap(value), type.map);
  }
}

function visitMap(map: JsonObject | undefined, type: MapFieldType | undefined): Mentioned {
  if (type === undefined || type.atomic) return leaf;
  if (map === undefined) return nothing;
  const draft: FieldSetDraft = {};
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value === undefined) continue;
    const { member, below } = visit(value, type.typeOf(name) ?? atomicType);
    const empty = value === null || (asMap(value) !== undefined && isEmptyMap(asMap(value)));
    const node = makeNode(member || empty || !type.declares(name), below);
    if (node !== undefined) draft[fieldElement(name)] = node;
  }
  return { member: false, below: sortedSet(draft) };
}

function visitList(items: JsonArray | undefined, type: ListFieldType | undefined): Mentioned {
  if (type === undefined || type.atomic) return leaf;
  const draft: FieldSetDraft = {};
  for (const [element, [item, ...duplicates]] of itemsByElement(type, items)) {
    if (item === undefined) continue;
    // Items with the same key are owned together, as a whole.
    const below = duplicates.length > 0 ? emptySet : visit(item, type.element).below;
    draft[element] = makeNode(true, below) ?? emptySet;
  }
  return { member: false, below: sortedSet(draft) };
}

/**
 * Adds declared ancestors of members. Removal must be complete: a map whose last field is removed is removed
 * as well.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    const node = set[element];
    if (node === undefined) continue;
    if (element === self || isEmpty(node)) {
      draft[element] = node;
      continue;
    }
    const name = fieldName(element);
    const below = withNamedFields(node, typeBelow(type, name, element));
    const named = name !== undefined && type?.map?.declares(name) === true;
    draft[element] = named && !isMember(below) ? { [self]: emptySet, ...below } : below;
  }
  return draft;
}

function typeBelow(
  type: FieldType | undefined,
  name: string | undefined,
  element: string,
): FieldType | undefined {
  if (name !== undefined) return type?.map?.typeOf(name);
  return isKeyElement(element) ? type?.list?.element : undefined;
}
