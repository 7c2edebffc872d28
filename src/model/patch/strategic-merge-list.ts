import { getOwn, isJsonObject, type Json, type JsonArray, type JsonObject } from "../object/json.js";
import { PatchError } from "./patch-error.js";
import { goStringFormat, goFormat, goType } from "./go-format.js";

/** Merges a patch of one item into that item. */
export type MergeItem = (original: JsonObject, patch: JsonObject) => JsonObject;

/** Result of merging a list. */
export interface MergedList {
  readonly items: JsonArray;
  /**
   * Order that Kubernetes takes for the original one afterwards. It deletes in place and reuses the space for
   * new items, which is visible when `$setElementOrder` sorts the result.
   */
  readonly order: JsonArray;
}

/** Merges a list with strategy `merge`: objects by merge key, scalars as a set. */
export function mergeLists(
  original: JsonArray,
  patch: JsonArray,
  mergeKey: string | undefined,
  mergeItem: MergeItem,
): MergedList {
  if (original.length === 0 && patch.length === 0) return { items: original, order: original };
  if (!holdObjects(original, patch)) {
    const items = [...new Set([...original, ...patch])];
    return { items: orderItems(items, patch, original, undefined), order: original };
  }
  if (mergeKey === undefined) throw malformed("cannot merge lists without merge key for struct");

  const { kept, changes, replaced } = applyDirectives(original, patch, mergeKey);
  const merged: Json[] = [...kept];
  const positions = new Positions(merged, mergeKey);
  for (const change of changes) {
    const at = positions.of(mergeKeyValue(change, mergeKey));
    const current = at === undefined ? undefined : merged[at];
    if (at !== undefined && isJsonObject(current)) merged[at] = mergeItem(current, change);
    else positions.add(merged.push(change) - 1, change);
  }
  const deleted = kept.length < original.length && !replaced;
  return {
    items: orderItems(merged, changes, kept, mergeKey),
    order: deleted ? merged.slice(0, original.length) : original,
  };
}

/** Removes the values of `$deleteFromPrimitiveList` from a list. */
export function deleteFromList(original: JsonArray, values: JsonArray): JsonArray {
  if (original.length === 0 && values.length === 0) return original;
  if (holdObjects(original, values)) {
    throw malformed("invalid patch format of primitive list");
  }
  const deletedKeys = new Set(values);
  return original.filter((value) => !deletedKeys.has(value));
}

/** Sorts a merged list as `$setElementOrder` requires; other items keep their positions in `live`. */
export function applyElementOrder(
  merged: JsonArray,
  elementOrder: JsonArray,
  live: JsonArray,
  mergeKey: string | undefined,
): JsonArray {
  if (mergeKey === undefined && merged.some(isContainer)) {
    throw malformed("invalid patch format of setElementOrder list");
  }
  return orderItems(merged, elementOrder, live, mergeKey);
}

/** Checks that the items of a patch list are in the order of `$setElementOrder`. */
export function checkElementOrder(
  patch: JsonArray,
  elementOrder: JsonArray,
  mergeKey: string | undefined,
): void {
  if (elementOrder.length === 0 || patch.length === 0) return;
  const added =
    mergeKey === undefined ? patch : patch.filter((item) => getOwn(asObject(item), "$patch") !== "delete");
  let next = 0;
  let place = 0;
  while (next < added.length && place < elementOrder.length) {
    const item = added[next] ?? null;
    if (isJsonObject(item) && Object.hasOwn(item, "$patch")) {
      next++;
      continue;
    }
    if (identity(item, mergeKey) === identity(elementOrder[place] ?? null, mergeKey)) next++;
    place++;
  }
  if (next < added.length && place >= elementOrder.length) {
    throw malformed(
      `The order in patch list:\n${goFormat(patch)}\n doesn't match $setElementOrder list:\n${goFormat(elementOrder)}\n`,
    );
  }
}

/** True if the items are objects. All items must be of one type, and lists of lists are not supported. */
function holdObjects(...lists: readonly JsonArray[]): boolean {
  let kind: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const own = itemKind(item);
      kind ??= own;
      if (kind === "list") throw new PatchError("path", "lists of lists are not supported");
      if (kind !== own || kind === "null") {
        throw malformed(`list element types are not identical: ${goFormat(lists)}`);
      }
    }
  }
  return kind === "object";
}

function itemKind(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

interface Directives {
  /** Remaining original items. */
  readonly kept: JsonArray;
  /** Items of the patch without directives. */
  readonly changes: readonly JsonObject[];
  readonly replaced: boolean;
}

/** Applies the items of a patch list that say `$patch: delete` or `$patch: replace`. */
function applyDirectives(original: JsonArray, patch: JsonArray, mergeKey: string): Directives {
  const changes: JsonObject[] = [];
  const deletedKeys = new Set<Json>();
  let replaced = false;
  for (const value of patch) {
    const item = asObject(value);
    const directive = getOwn(item, "$patch");
    if (directive === undefined) changes.push(item);
    else if (directive === "delete") deletedKeys.add(mergeKeyValue(item, mergeKey));
    else if (directive === "replace") replaced = true;
    else if (directive === "merge") throw malformed("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, item);
  }
  if (replaced) return { kept: changes, changes: [], replaced };
  const stays = (item: Json): boolean => {
    const key = isJsonObject(item) ? getOwn(item, mergeKey) : undefined;
    return key === undefined || !deletedKeys.has(key);
  };
  return { kept: deletedKeys.size === 0 ? original : original.filter(stays), changes, replaced };
}

/**
 * Sorts items in the patch by `patchOrder` and the others by `liveOrder`, and merges the two: one of the
 * others comes before the next item of the patch if it did so in the live list.
 */
function orderItems(
  items: readonly Json[],
  patchOrder: JsonArray,
  liveOrder: JsonArray,
  mergeKey: string | undefined,
): Json[] {
  const inPatch = new Positions(patchOrder, mergeKey);
  const inLive = new Positions(liveOrder, mergeKey);
  const named: Placed[] = [];
  const rest: Placed[] = [];
  for (const item of items) {
    const key = identity(item, mergeKey);
    const place = inPatch.of(key);
    const live = inLive.of(key);
    if (place === undefined) rest.push({ item, place: live ?? Infinity, live });
    else named.push({ item, place, live });
  }
  named.sort(byPlace);
  rest.sort(byPlace);

  const arranged: Json[] = [];
  let next = 0;
  for (const { item, live } of named) {
    for (let other = rest[next]; other !== undefined && isBefore(other.live, live); other = rest[next]) {
      arranged.push(other.item);
      next++;
    }
    arranged.push(item);
  }
  for (const { item } of rest.slice(next)) arranged.push(item);
  return arranged;
}

interface Placed {
  readonly item: Json;
  readonly place: number;
  readonly live: number | undefined;
}

const byPlace = (a: Placed, b: Placed): number => (a.place === b.place ? 0 : a.place - b.place);

function isBefore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a < b;
}

/** First position of each item in a list. */
class Positions {
  readonly #mergeKey: string | undefined;
  readonly #places = new Map<Json, number>();

  constructor(list: JsonArray, mergeKey: string | undefined) {
    this.#mergeKey = mergeKey;
    for (const [place, item] of list.entries()) this.add(place, item);
  }

  add(place: number, item: Json): void {
    const key = identity(item, this.#mergeKey);
    if (!this.#places.has(key)) this.#places.set(key, place);
  }

  of(key: Json): number | undefined {
    return this.#places.get(key);
  }
}

/** Identity of an item: its merge key's value, or the item itself. */
function identity(item: Json, mergeKey: string | undefined): Json {
  return mergeKey === undefined ? item : mergeKeyValue(asObject(item), mergeKey);
}

function mergeKeyValue(item: JsonObject, mergeKey: string): Json {
  const value = getOwn(item, mergeKey);
  if (value !== undefined) return value;
  throw malformed(`map: ${goFormat(item)} does not contain declared merge key: ${mergeKey}`);
}

function asObject(item: Json): JsonObject {
  if (isJsonObject(item)) return item;
  throw malformed(`expected a map[string]interface {}, but received a ${goType(item)}`);
}

function isContainer(value: Json): boolean {
  return typeof value === "object" && value !== null;
}

export function unknownDirective(directive: Json, item: JsonObject): PatchError {
  return malformed(`unknown patch type: ${goStringFormat(directive)} in map: ${goFormat(item)}`);
}

export function malformed(message: string): PatchError {
  return new PatchError("malformed", message);
}
