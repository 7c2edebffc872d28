import { failures } from "../../../model/core.js";
import { type Json, setOwn } from "../../../model/object/json.js";
import type { Draft } from "../../resources/resource-type.js";
import type { FieldDefinition, StructType, ValueType } from "../idl/type-definition.js";
import { findBuiltInKind } from "../types.js";
import { canonicalBase64 } from "./base64.js";
import { alternativeFor } from "./check-types.js";
import { deepest } from "./depth.js";
import { canonicalQuantity } from "./quantity.js";
import { isCanonicalTime, parseGoTime, writeTime } from "./go-time.js";

type Fields = { [key: string]: Json };

/**
 * Brings an object of a built-in kind into the form in which Kubernetes would write it after decoding: meaningless empty
 * values are removed, fields that are always written are added, times are in UTC, base64 is canonical, and fields are in
 * the order of their type. So writing the same content again is no change, however it was spelled.
 *
 * Expects an object that passed `checkTypes`; values that do not fit their type are dropped. Changes the object in place
 * and keeps the identity of its metadata. A missing list that is always written becomes `[]` (Kubernetes writes null,
 * which breaks clients in typed languages).
 */
export function normalize(struct: StructType, object: Draft): void {
  const { apiVersion, kind, metadata } = object;
  const normal = normalStruct(object, struct, 0);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, { apiVersion, kind });
  if (isObject(metadata as Json)) {
    for (const key of Object.keys(metadata)) delete metadata[key];
    object.metadata = Object.assign(metadata, normal["metadata"]);
    delete normal["metadata"];
  }
  Object.assign(object, normal);
}

/** Normalizes an object by its apiVersion and kind; objects of custom kinds are not changed. */
export function normalizeObject(object: Draft): void {
  const struct = findBuiltInKind(object.apiVersion, object.kind);
  if (struct) normalize(struct, object);
}

/** Normalizes a value of a struct type that is not a whole object; returns a copy. */
export function normalStruct(object: Fields, struct: StructType, depth: number): Fields {
  if (depth > deepest) throw failures.badRequest(`${struct.name} is nested too deeply`);
  const result: Fields = {};
  for (const field of struct.fields) {
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    const written = normalField(value ?? null, field, depth);
    if (written !== undefined) result[field.name] = written;
  }
  return result;
}

function normalField(value: Json, field: FieldDefinition, depth: number): Json | undefined {
  const normal = value === null ? undefined : normalValue(value, field.type, depth);
  switch (field.presence) {
    case "pointer":
      return normal ?? defaultOf(field);
    case "required":
    case "always":
      return normal ?? defaultOf(field) ?? zero(field.type, depth);
    case "plain":
      if (field.type.of === "struct" || isTime(field.type)) return normal ?? zero(field.type, depth);
      return normal === undefined || isEmpty(normal) ? defaultOf(field) : normal;
  }
}

/** Clones defaults that are objects, since callers may change them. */
function defaultOf({ default: value }: FieldDefinition): Json | undefined {
  return typeof value === "object" ? structuredClone(value) : value;
}

/** The normalized value; undefined when it does not fit its type. */
function normalValue(value: Json, type: ValueType, depth: number): Json | undefined {
  switch (type.of) {
    case "scalar":
      return normalScalar(value, type);
    case "struct":
      if (type.struct.union) {
        const alternative = alternativeFor(value, type.struct);
        return alternative && normalValue(value, alternative, depth);
      }
      return isObject(value) ? normalStruct(value, type.struct, depth + 1) : undefined;
    case "list":
      if (!Array.isArray(value)) return undefined;
      return (value as readonly Json[]).map((item) => normalItem(item, type.item, depth));
    case "map": {
      if (!isObject(value)) return undefined;
      if (isNormalMap(value, type.value, depth)) return value;
      const map: Fields = {};
      for (const [key, item] of Object.entries(value)) setOwn(map, key, normalItem(item, type.value, depth));
      return map;
    }
  }
}

/** A map of scalars that are all normal is not copied: building one with many keys is expensive. */
function isNormalMap(map: Fields, type: ValueType, depth: number): boolean {
  if (type.of !== "scalar") return false;
  for (const key in map) if (map[key] !== normalItem(map[key] ?? null, type, depth)) return false;
  return true;
}

function normalItem(item: Json, type: ValueType, depth: number): Json {
  return (item === null ? undefined : normalValue(item, type, depth)) ?? zero(type, depth);
}

function normalScalar(value: Json, type: ValueType & { of: "scalar" }): Json | undefined {
  switch (type.scalar) {
    case "string":
    case "duration":
      return typeof value === "string" ? value : undefined;
    case "bytes":
      return typeof value === "string" ? canonicalBase64(value) : undefined;
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "int32":
    case "int64":
    case "double":
      return typeof value === "number" ? value : undefined;
    case "time":
    case "microtime": {
      if (typeof value !== "string") return undefined;
      const micro = type.scalar === "microtime";
      if (isCanonicalTime(value, micro)) return value;
      const parsed = parseGoTime(value, micro);
      return "error" in parsed ? undefined : writeTime(parsed.seconds, micro ? parsed.micros : 0, micro);
    }
    case "intOrString":
      return typeof value === "string" || typeof value === "number" ? value : undefined;
    case "quantity":
      return typeof value === "string" || typeof value === "number"
        ? canonicalQuantity(String(value))
        : undefined;
    case "any":
      return value;
  }
}

/** Value that is written for a missing field that is always written. */
function zero(type: ValueType, depth: number): Json {
  switch (type.of) {
    case "list":
      return [];
    case "map":
      return {};
    case "struct":
      return type.struct.union ? null : normalStruct({}, type.struct, depth + 1);
    case "scalar":
      return zeroScalars[type.scalar];
  }
}

/** Zero values of scalars. */
export const zeroScalars = {
  string: "",
  bytes: "",
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  time: null,
  microtime: null,
  duration: "0s",
  quantity: "0",
  intOrString: 0,
  any: null,
} as const;

function isEmpty(value: Json): boolean {
  if (typeof value !== "object") return value === "" || value === 0 || value === false;
  return value === null || Object.keys(value).length === 0;
}

function isTime(type: ValueType): boolean {
  return type.of === "scalar" && (type.scalar === "time" || type.scalar === "microtime");
}

function isObject(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
