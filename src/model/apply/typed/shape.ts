import { isJsonArray, isJsonObject, type Json, type JsonArray, type JsonObject } from "../../object/json.js";
import type { FieldType } from "./field-type.js";

/** Shape of a value; `open` if its type allows several and the value has none of them (usually null). */
export type Shape = "map" | "list" | "scalar" | "open";

/** Shape of a value under a type. */
export function shapeOf(type: FieldType, value: Json): Shape {
  if (value !== null) {
    if (typeof value !== "object") {
      if (type.scalar !== undefined) return "scalar";
    } else if (isJsonArray(value)) {
      if (type.list !== undefined) return "list";
    } else if (type.map !== undefined) return "map";
  }
  // A value of the wrong type is treated as if it had the right one: a map that is not a map has no fields.
  if (type.map === undefined) return type.scalar === undefined ? "list" : "scalar";
  return type.scalar === undefined && type.list === undefined ? "map" : "open";
}

/** Value as a map; undefined otherwise. */
export function asMap(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Value as a list; undefined otherwise. */
export function asList(value: Json | undefined): JsonArray | undefined {
  return isJsonArray(value) ? value : undefined;
}

/** True if a map is missing or empty. */
export function isEmptyMap(map: JsonObject | undefined): boolean {
  for (const _ in map) return false;
  return true;
}
