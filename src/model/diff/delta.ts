import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  jsonEqual,
  type JsonObject,
} from "../object/json.js";
import { align, itemKeyField } from "./align.js";

/**
 * Tree of everything in either document, and what became of it. Both the changes for programs and the text
 * for people are derived from it, so they cannot disagree.
 */
export type Delta =
  | { readonly kind: "same"; readonly value: Json }
  | { readonly kind: "add"; readonly to: Json }
  | { readonly kind: "remove"; readonly from: Json }
  | { readonly kind: "change"; readonly from: Json; readonly to: Json }
  | { readonly kind: "object"; readonly fields: readonly FieldDelta[] }
  | { readonly kind: "list"; readonly key: string | undefined; readonly items: readonly ItemDelta[] };

export interface FieldDelta {
  readonly key: string;
  readonly delta: Delta;
}

/** Positions of the item in both lists; -1 where it is missing. */
export interface ItemDelta {
  readonly from: number;
  readonly to: number;
  readonly delta: Delta;
}

/** Values nested deeper are compared as a whole. */
const maxDepth = 200;

/** Compares two documents; undefined stands for a missing one. */
export function compareDocuments(from: Json | undefined, to: Json | undefined): Delta {
  if (to === undefined) return from === undefined ? { kind: "same", value: null } : { kind: "remove", from };
  return from === undefined ? { kind: "add", to } : compareValues(from, to, 0);
}

function compareValues(from: Json, to: Json, depth: number): Delta {
  if (from === to) return { kind: "same", value: to };
  if (depth < maxDepth) {
    if (isJsonObject(from) && isJsonObject(to)) return compareObjects(from, to, depth);
    if (isJsonArray(from) && isJsonArray(to)) return compareLists(from, to, depth);
  }
  return jsonEqual(from, to) ? { kind: "same", value: to } : { kind: "change", from, to };
}

function compareObjects(from: JsonObject, to: JsonObject, depth: number): Delta {
  let changed = false;
  const fields = allFields(from, to).map((key): FieldDelta => {
    const before = getOwn(from, key);
    const after = getOwn(to, key);
    const delta =
      before !== undefined && after !== undefined
        ? compareValues(before, after, depth + 1)
        : compareDocuments(before, after);
    changed ||= delta.kind !== "same";
    return { key, delta };
  });
  return changed ? { kind: "object", fields } : { kind: "same", value: to };
}

function compareLists(from: JsonArray, to: JsonArray, depth: number): Delta {
  const key = itemKeyField(from, to);
  let changed = false;
  const items = align(from, to, key).map((aligned): ItemDelta => {
    const [before, after] = [
      aligned.kind === "added" ? -1 : aligned.from,
      aligned.kind === "removed" ? -1 : aligned.to,
    ];
    const [old, value] = [from[before], to[after]];
    const delta: Delta =
      old === undefined || value === undefined
        ? compareDocuments(old, value)
        : aligned.kind === "kept" && aligned.equal
          ? { kind: "same", value }
          : compareValues(old, value, depth + 1);
    changed ||= delta.kind !== "same";
    return { from: before, to: after, delta };
  });
  return changed ? { kind: "list", key, items } : { kind: "same", value: to };
}

/** Fields of both objects in the order of `to`; a removed field follows the one it followed in `from`. */
function allFields(from: JsonObject, to: JsonObject): string[] {
  const removed = new Map<string | undefined, string[]>();
  let anchor: string | undefined;
  for (const key of Object.keys(from)) {
    if (Object.hasOwn(to, key)) {
      anchor = key;
      continue;
    }
    const after = removed.get(anchor);
    if (after === undefined) removed.set(anchor, [key]);
    else after.push(key);
  }
  if (removed.size === 0) return Object.keys(to);
  const keys = removed.get(undefined) ?? [];
  for (const key of Object.keys(to)) {
    keys.push(key);
    for (const field of removed.get(key) ?? []) keys.push(field);
  }
  return keys;
}
