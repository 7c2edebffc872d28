import { fieldElement, keyElement, type PathElement } from "../../../model/apply/fields/path-element.js";
import type { KubeObject } from "../../../model/core.js";
import { itemKeyField } from "../../../model/diff/align.js";
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  jsonEqual,
  type JsonObject,
} from "../../../model/object/json.js";

/** A field that is not the same in two versions of an object; undefined stands for none. */
export interface ChangedField {
  readonly path: readonly PathElement[];
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/** Nobody fights over what the server keeps. */
const kept = new Set(["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"]);
/** Who changes more than this at once is not looked at more closely. */
const mostFields = 64;

/** The single fields in which two versions of an object differ. Lists whose items have no key are compared as a whole. */
export function changedFields(before: KubeObject, after: KubeObject): readonly ChangedField[] {
  const found: ChangedField[] = [];
  compare(before as unknown as Json, after as unknown as Json, [], found);
  return found.slice(0, mostFields);
}

/** Whether a field is part of what is wanted of an object: its status and metadata are not. */
export function isWanted([first]: readonly PathElement[]): boolean {
  return first !== "f:metadata" && first !== "f:status";
}

function compare(
  from: Json | undefined,
  to: Json | undefined,
  path: readonly PathElement[],
  found: ChangedField[],
): void {
  if (isMap(from, to) && isMap(to, from)) return compareMaps(from ?? {}, to ?? {}, path, found);
  if (isJsonArray(from) && isJsonArray(to)) {
    const key = itemKeyField(from, to);
    if (key !== undefined) return compareMaps(byKey(from, key), byKey(to, key), path, found, key);
  }
  if (from === undefined || to === undefined ? from !== to : !jsonEqual(from, to))
    found.push({ path, from, to });
}

/** A map with something in it, or nothing where the other is one. */
function isMap(value: Json | undefined, other: Json | undefined): value is JsonObject | undefined {
  if (value === undefined) return isJsonObject(other) && Object.keys(other).length > 0;
  return isJsonObject(value);
}

function compareMaps(
  from: JsonObject,
  to: JsonObject,
  path: readonly PathElement[],
  found: ChangedField[],
  key?: string,
): void {
  const isMetadata = path.length === 1 && path[0] === "f:metadata";
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  for (const name of names) {
    if (isMetadata && kept.has(name)) continue;
    const element = key === undefined ? fieldElement(name) : keyElement([[key, JSON.parse(name) as Json]]);
    compare(getOwn(from, name), getOwn(to, name), [...path, element], found);
  }
}

/** The items of a list by the JSON of their key. */
function byKey(list: readonly Json[], key: string): JsonObject {
  return Object.fromEntries(list.map((item) => [JSON.stringify((item as JsonObject)[key]), item]));
}
