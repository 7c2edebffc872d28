import { isJsonArray, isJsonObject, type Json, type JsonArray, type JsonObject } from "../../object/json.js";
import type { FieldType } from "./field-type.js";

/** The form of a value; `open` when its type allows several and the value is none of them (null, most of all). */
export type Shape = "map" | "list" | "scalar" | "open";

/** The form a value has under a type. */
export function shapeOf(type: FieldType, value: Json): Shape {
  if (value !== null) {
    if (typeof value !== "object") {
      if (type.scalar !== undefined) return "scalar";
    } else if (isJsonArray(value)) {
      if (type.list !== undefined) return "list";
    } else if (type.map !== undefined) return "map";
  }
  // A value that is not what it should be is treated as if it were: a map that is no map has no fields.
  if (type.map === undefined) return type.scalar === undefined ? "list" : "scalar";
  return type.scalar === undefined && type.list === undefined ? "map" : "open";
}

/** The fields of a map; undefined for what is no map, as if it were null. */
export function asMap(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The items of a list; undefined for what is no list. */
export function asList(value: Json | undefined): JsonArray | undefined {
  return isJsonArray(value) ? value : undefined;
}

/** Whether a map is missing or has no fields. */
export function isEmptyMap(map: JsonObject | undefined): boolean {
  for (const _ in map) return false;
  return true;
}
