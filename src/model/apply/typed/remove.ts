import { type Json, type JsonArray, type JsonObject, type MutableObject, setOwn } from "../../object/json.js";
import { emptySet, type FieldSet, isEmpty, isMember } from "../fields/field-set.js";
import { fieldElement } from "../fields/path-element.js";
import { type FieldType, type ListFieldType, type MapFieldType, atomicType } from "./field-type.js";
import { itemElement } from "./list-items.js";
import { asList, asMap, shapeOf } from "./shape.js";

/** Removes fields and items from a value. A container that becomes empty becomes null. */
export function removeTyped(value: Json, fields: FieldSet, type: FieldType): Json {
  if (isEmpty(fields)) return value;
  switch (shapeOf(type, value)) {
    case "scalar":
      return value;
    case "list":
      return removeItems(asList(value), fields, type.list);
    default:
      return removeFields(asMap(value), fields, type.map);
  }
}

function removeFields(map: JsonObject | undefined, fields: FieldSet, type: MapFieldType | undefined): Json {
  if (map === undefined || type === undefined || type.atomic) return null;
  const rest: MutableObject = {};
  let empty = true;
  for (const name of Object.keys(map)) {
    const value = map[name];
    const node = fields[fieldElement(name)];
    if (value === undefined || (node !== undefined && isMember(node))) continue;
    empty = false;
    setOwn(rest, name, removeTyped(value, node ?? emptySet, type.typeOf(name) ?? atomicType));
  }
  return empty ? null : rest;
}

function removeItems(items: JsonArray | undefined, fields: FieldSet, type: ListFieldType | undefined): Json {
  if (items === undefined || type === undefined || type.atomic) return null;
  const rest: Json[] = [];
  for (const item of items) {
    const result = itemElement(type, item);
    const node = "element" in result ? fields[result.element] : undefined;
    if (node !== undefined && isMember(node)) continue;
    rest.push(removeTyped(item, node ?? emptySet, type.element));
  }
  return rest.length === 0 ? null : rest;
}
