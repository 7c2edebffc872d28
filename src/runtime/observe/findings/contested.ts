import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  jsonEqual,
  type JsonObject,
} from "../../../model/object/json.js";
import { renderPath, type PathElement } from "../../../model/apply/fields/path-element.js";
import type { KubeObject, ManagedFieldsEntry } from "../../../model/core.js";

type Found = (path: string) => void;

/** Fields of an object that are not as we want them, by who has set them. */
export type Contested = ReadonlyMap<string, ReadonlySet<string>>;

/** Who it was when nobody can be named. */
const somebody = "somebody";

/** Nobody can set these, or they are not what a fight would be about. */
const notOurs = new Set(["name", "namespace", "uid"]);

/**
 * Which fields of `current` differ from `desired` because somebody else set them: those that others own, as their
 * `managedFields` tell, and those that are gone although we had set them before (`last`). A field that nobody else owns
 * differs because we want it differently now.
 */
export function contested(
  desired: JsonObject,
  current: KubeObject,
  ours: string,
  last: JsonObject | undefined,
): Contested {
  const fields = new Map<string, Set<string>>();
  const add = (manager: string, path: string): void => {
    const paths = fields.get(manager) ?? new Set();
    fields.set(manager, paths.add(path));
  };
  const found = current as unknown as JsonObject;
  const others = (current.metadata.managedFields ?? []).filter(
    ({ manager, operation }) => !(manager === ours && operation === "Apply"),
  );
  for (const { manager = somebody, fieldsV1 } of others) {
    if (isJsonObject(fieldsV1)) differing(fieldsV1, desired, found, [], (path) => add(manager, path));
  }
  if (last !== undefined) missing(last, desired, found, "", (path) => add(newest(others) ?? somebody, path));
  return fields;
}

/** Who wrote an object last, other than one of them. */
export function lastWriter({ metadata }: KubeObject, ours: string): string | undefined {
  return newest((metadata.managedFields ?? []).filter(({ manager }) => manager !== ours));
}

/** The same, also when nobody can be named. */
export function writerOf(object: KubeObject, ours: string): string {
  return lastWriter(object, ours) ?? somebody;
}

/** Who owns a field, somebody other than `ours` if there is one; undefined when nobody does. */
export function ownerOf(
  { metadata }: KubeObject,
  path: readonly PathElement[],
  ours?: string,
): string | undefined {
  const owners = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => isOwned(fieldsV1, path));
  return newest(owners.filter(({ manager }) => manager !== ours)) ?? newest(owners);
}

function isOwned(fields: unknown, path: readonly PathElement[]): boolean {
  let set = fields as Json | undefined;
  for (const [depth, element] of path.entries()) {
    if (!isJsonObject(set)) return false;
    // What has nothing below it is owned as a whole.
    if (depth > 0 && Object.keys(set).length === 0) return true;
    set = getOwn(set, element);
  }
  return set !== undefined;
}

function newest(entries: readonly ManagedFieldsEntry[]): string | undefined {
  let last: ManagedFieldsEntry | undefined;
  for (const entry of entries)
    if (last === undefined || (entry.time ?? "") >= (last.time ?? "")) last = entry;
  return last?.manager;
}

/** The fields of a set that are wanted otherwise than they are. The set says how lists are merged: `k:` and `v:`. */
function differing(
  set: JsonObject,
  desired: Json | undefined,
  current: Json | undefined,
  path: readonly PathElement[],
  found: Found,
): void {
  if (desired === undefined || desired === null) return;
  const elements = Object.keys(set).filter((element) => element !== ".");
  if (elements.length === 0) {
    if (path.length > 0 && !jsonEqual(desired, current ?? null)) found(renderPath(path).slice(1));
    return;
  }
  for (const element of elements) {
    const below = set[element];
    const wanted = at(desired, element);
    if (wanted !== undefined && isJsonObject(below)) {
      differing(below, wanted, at(current, element), [...path, element], found);
    }
  }
}

function at(value: Json | undefined, element: PathElement): Json | undefined {
  if (element.startsWith("f:")) return isJsonObject(value) ? getOwn(value, element.slice(2)) : undefined;
  if (!element.startsWith("k:") || !isJsonArray(value)) return undefined;
  const keys = Object.entries(JSON.parse(element.slice(2)) as JsonObject);
  return value.find((item) => isJsonObject(item) && keys.every(([key, wanted]) => item[key] === wanted));
}

/** What was wanted before, still is, and is not there. */
function missing(
  last: Json | undefined,
  desired: JsonObject,
  current: Json | undefined,
  path: string,
  found: Found,
): void {
  if (!isJsonObject(last) || !isJsonObject(current)) return;
  for (const [name, wanted] of Object.entries(desired)) {
    const before = getOwn(last, name);
    const now = getOwn(current, name);
    if (before === undefined || (path === ".metadata" && notOurs.has(name))) continue;
    const here = `${path}.${name}`;
    if (now === undefined || now === null) {
      if (jsonEqual(before, wanted)) found(here.slice(1));
    } else if (isJsonObject(wanted)) {
      missing(before, wanted, now, here, found);
    }
  }
}
