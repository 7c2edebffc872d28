import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  jsonEqual,
  type JsonObject,
  type MutableObject,
  setOwn,
} from "../object/json.js";
import { PatchError } from "./patch-error.js";

/** Limit for nesting: far deeper than any real object, far shallower than the call stack. */
const maxDepth = 1000;

/**
 * Applies an RFC 7396 merge patch: objects are merged field by field, null removes a field, anything else
 * replaces. The target is not modified; unchanged parts are shared, and the target itself is returned if the
 * patch changes nothing.
 *
 * As in Kubernetes, and unlike in the RFC, fields with null are also removed from objects in lists: clients in Go
 * write null for a time that is not set, such as that of a condition.
 *
 * @throws {PatchError} of kind `limit` when the patch is nested more than 1,000 levels deep.
 *
 * @example
 * applyMergePatch({ a: "b", c: { d: "e", f: "g" } }, { a: "z", c: { f: null } });
 * // { a: "z", c: { d: "e" } }
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  return merge(target, patch, 0);
}

function merge(target: Json | undefined, patch: Json, depth: number): Json {
  if (!isJsonObject(patch)) {
    const value = isJsonArray(patch) ? itemsWithoutNulls(patch, depth) : patch;
    return target !== undefined && jsonEqual(target, value) ? target : value;
  }
  if (depth > maxDepth) throw tooDeep();
  if (!isJsonObject(target)) return withoutNulls(patch, depth);
  let merged: MutableObject | undefined;
  for (const key of Object.keys(patch)) {
    const change = getOwn(patch, key);
    const current = getOwn(target, key);
    if (change === undefined) continue;
    if (change === null) {
      if (current === undefined) continue;
      merged ??= { ...target };
      Reflect.deleteProperty(merged, key);
      continue;
    }
    const next = merge(current, change, depth + 1);
    if (next === current) continue;
    merged ??= { ...target };
    setOwn(merged, key, next);
  }
  return merged ?? target;
}

/** Result of a patch where there was no object before: the patch without its nulls. */
function withoutNulls(patch: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) throw tooDeep();
  let clean: MutableObject | undefined;
  for (const key of Object.keys(patch)) {
    const value = getOwn(patch, key);
    if (value === null) {
      clean ??= { ...patch };
      Reflect.deleteProperty(clean, key);
    } else if (value !== undefined) {
      const next = cleanValue(value, depth + 1);
      if (next === value) continue;
      clean ??= { ...patch };
      setOwn(clean, key, next);
    }
  }
  return clean ?? patch;
}

/** A list without the nulls of the objects in it; items that are null stay. */
function itemsWithoutNulls(items: JsonArray, depth: number): JsonArray {
  if (depth > maxDepth) throw tooDeep();
  let clean: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    const next = cleanValue(item, depth + 1);
    if (next === item) continue;
    clean ??= items.slice();
    clean[index] = next;
  }
  return clean ?? items;
}

function cleanValue(value: Json, depth: number): Json {
  if (isJsonObject(value)) return withoutNulls(value, depth);
  return isJsonArray(value) ? itemsWithoutNulls(value, depth) : value;
}

/**
 * Creates the RFC 7396 merge patch that turns `from` into `to`. A merge patch cannot set a field to null:
 * such a field is missing after it. Equal objects give `{}`.
 *
 * @throws {PatchError} of kind `limit` when both are nested more than 1,000 levels deep.
 *
 * @example
 * createMergePatch({ a: 1, b: { c: 2, d: 3 } }, { a: 1, b: { c: 4 } }); // { b: { c: 4, d: null } }
 */
export function createMergePatch(from: Json, to: Json): Json {
  if (!isJsonObject(from) || !isJsonObject(to)) return to;
  return difference(from, to, 0) ?? {};
}

/** Creates the patch between two objects; undefined if they are equal. */
function difference(from: JsonObject, to: JsonObject, depth: number): JsonObject | undefined {
  if (from === to) return undefined;
  if (depth > maxDepth) throw tooDeep();
  let patch: MutableObject | undefined;
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) setOwn((patch ??= {}), key, null);
  }
  for (const key of Object.keys(to)) {
    const before = getOwn(from, key);
    const after = getOwn(to, key);
    if (after === undefined) continue;
    if (isJsonObject(before) && isJsonObject(after)) {
      const nested = difference(before, after, depth + 1);
      if (nested !== undefined) setOwn((patch ??= {}), key, nested);
    } else if (before === undefined || !jsonEqual(before, after)) {
      setOwn((patch ??= {}), key, after);
    }
  }
  return patch;
}

function tooDeep(): PatchError {
  return new PatchError("limit", `a merge patch may be nested at most ${maxDepth} levels deep`);
}
