import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
  type MutableObject,
  setOwn,
} from "../object/json.js";
import { PatchError } from "./patch-error.js";
import {
  checkElementOrder,
  deleteFromList,
  malformed,
  mergeLists,
  applyElementOrder,
  unknownDirective,
} from "./strategic-merge-list.js";
import type { PatchSchema } from "./strategic-merge-schema.js";
import { goType } from "./go-format.js";

export { patchSchemaOf, type PatchSchema, type PatchStrategy } from "./strategic-merge-schema.js";

/** Limit for nesting: far deeper than any real object, far shallower than the call stack. */
const maxDepth = 1000;

const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/**
 * Applies a strategic merge patch, Kubernetes' own format: like a merge patch, but lists are merged where the
 * schema says so, objects in them by a merge key, and directives (`$patch`, `$retainKeys`,
 * `$setElementOrder/x`, `$deleteFromPrimitiveList/x`) express the rest. Neither argument is modified.
 *
 * As in Kubernetes, values taken from the patch as a whole keep directives that only make sense in a merge,
 * such as `$retainKeys`: they become unknown fields of the result.
 *
 * @throws {PatchError} with Kubernetes' message.
 *
 * @example
 * applyStrategicMergePatch(
 *   { containers: [{ name: "a", image: "1" }, { name: "b" }] },
 *   { containers: [{ name: "a", image: "2" }, { name: "b", $patch: "delete" }] },
 *   podSpec,
 * ); // { containers: [{ name: "a", image: "2" }] }
 */
export function applyStrategicMergePatch(original: Json, patch: Json, schema: PatchSchema): Json {
  if (!isJsonObject(original) || !isJsonObject(patch)) throw malformed("invalid JSON document");
  return mergeObjects(original, patch, schema, 0);
}

function mergeObjects(
  original: JsonObject,
  patch: JsonObject,
  schema: PatchSchema | undefined,
  depth: number,
): JsonObject {
  if (depth > maxDepth) throw tooDeep();
  const directive = getOwn(patch, "$patch");
  if (directive === "delete") return {};
  if (directive === "replace") {
    const { $patch: _, ...replacement } = patch;
    return replacement;
  }
  if (directive !== undefined) throw unknownDirective(directive, patch);

  const merged: MutableObject = { ...original };
  retainKeys(merged, patch);
  const done = mergeOrderedLists(merged, patch, schema, depth);
  for (const key of Object.keys(patch)) {
    const change = getOwn(patch, key);
    if (change === undefined || key === "$retainKeys" || done.has(key)) continue;
    if (key.startsWith(deletePrefix)) deleteFrom(merged, key, change);
    else mergeField(merged, key, change, schema, depth);
  }
  return merged;
}

function mergeField(
  merged: MutableObject,
  key: string,
  change: Json,
  schema: PatchSchema | undefined,
  depth: number,
): void {
  const current = getOwn(merged, key);
  if (change === null) {
    Reflect.deleteProperty(merged, key);
  } else if (isJsonObject(current) && isJsonObject(change)) {
    const field = schema?.field(key);
    const replaced = field?.strategy.includes("replace") === true;
    setOwn(merged, key, replaced ? change : mergeObjects(current, change, field, depth + 1));
  } else if (isJsonArray(current) && isJsonArray(change)) {
    setOwn(merged, key, mergeListField(current, change, schema?.field(key), depth).items);
  } else {
    const taken = takeValue(change, depth + 1);
    if (taken === undefined) Reflect.deleteProperty(merged, key);
    else setOwn(merged, key, taken);
  }
}

function mergeListField(
  current: JsonArray,
  change: JsonArray,
  field: PatchSchema | undefined,
  depth: number,
): { items: JsonArray; order: JsonArray } {
  if (field?.strategy.includes("merge") !== true) return { items: change, order: current };
  const item = field.item();
  return mergeLists(current, change, field.mergeKey, (original, patch) =>
    mergeObjects(original, patch, item, depth + 1),
  );
}

/** Removes all fields that `$retainKeys` does not list. */
function retainKeys(merged: MutableObject, patch: JsonObject): void {
  const listed = getOwn(patch, "$retainKeys");
  if (listed === undefined) return;
  if (!isJsonArray(listed)) throw badRetainKeys();
  const keep = new Set<Json>(listed);
  for (const key of Object.keys(patch)) {
    const exempt = key === "$retainKeys" || key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (!exempt && patch[key] !== null && !keep.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(merged)) if (!keep.has(key)) Reflect.deleteProperty(merged, key);
}

/** Merges the lists with a `$setElementOrder`, and returns the keys of the patch that are processed. */
function mergeOrderedLists(
  merged: MutableObject,
  patch: JsonObject,
  schema: PatchSchema | undefined,
  depth: number,
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(orderPrefix)) continue;
    done.add(directive);
    const elementOrder = asList(patch[directive] ?? null);
    const key = directiveField(directive, orderPrefix, "invalid patch format of setElementOrder list");
    const current = getOwn(merged, key);
    const change = getOwn(patch, key);
    const currentList = current === undefined ? [] : asList(current);
    const changeList = change === undefined ? [] : asList(change);
    const field = schema?.field(key);
    if (field === undefined) throw malformed(`unable to find api field "${key}"`);
    checkElementOrder(changeList, elementOrder, field.mergeKey);
    done.add(key);
    if (currentList.length === 0 && changeList.length === 0) {
      if (change !== undefined) setOwn(merged, key, []);
      continue;
    }
    const { items, order } = mergedForOrder(
      current === undefined ? undefined : currentList,
      change,
      field,
      depth,
    );
    setOwn(merged, key, applyElementOrder(items, elementOrder, order, field.mergeKey));
  }
  return done;
}

function mergedForOrder(
  current: JsonArray | undefined,
  change: Json | undefined,
  field: PatchSchema,
  depth: number,
): { items: JsonArray; order: JsonArray } {
  const list = current ?? [];
  if (change === undefined) return { items: list, order: list };
  if (current === undefined) return { items: asList(withoutDirectives(change, depth + 1) ?? []), order: [] };
  return mergeListField(current, asList(change), field, depth);
}

/** Applies `$deleteFromPrimitiveList/x`: removes values from list `x`, or the whole field if null. */
function deleteFrom(merged: MutableObject, directive: string, values: Json): void {
  const key = directiveField(directive, deletePrefix, "invalid patch format of primitive list");
  const current = getOwn(merged, key);
  if (values === null) Reflect.deleteProperty(merged, key);
  else if (isJsonArray(current) && isJsonArray(values)) setOwn(merged, key, deleteFromList(current, values));
}

/** The `x` of `$prefix/x`. */
function directiveField(directive: string, prefix: string, otherwise: string): string {
  const slash = directive.indexOf("/");
  if (slash !== prefix.length) throw malformed(otherwise);
  return directive.slice(slash + 1);
}

/** Result of a patch value where there is nothing to merge it with; undefined if it is empty. */
function takeValue(value: Json, depth: number): Json | undefined {
  return withoutDirectives(withoutNulls(value, depth), depth);
}

/** Removes null fields at every depth. */
function withoutNulls(value: Json, depth: number): Json {
  if (depth > maxDepth) throw tooDeep();
  if (isJsonArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const kept: MutableObject = {};
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== null && field !== undefined) setOwn(kept, key, withoutNulls(field, depth + 1));
  }
  return kept;
}

/** Removes objects with `$patch` at every depth; undefined if the value is one of them. */
function withoutDirectives(value: Json, depth: number): Json | undefined {
  if (depth > maxDepth) throw tooDeep();
  if (isJsonArray(value)) {
    return value.map((item) => withoutDirectives(item, depth + 1)).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  const kept: MutableObject = {};
  for (const key of Object.keys(value)) {
    const field = withoutDirectives(value[key] ?? null, depth + 1);
    if (field !== undefined) setOwn(kept, key, field);
  }
  return kept;
}

function asList(value: Json): JsonArray {
  if (isJsonArray(value)) return value;
  throw malformed(`expected a []interface {}, but received a ${goType(value)}`);
}

function badRetainKeys(): PatchError {
  return malformed("invalid patch format of retainKeys");
}

function tooDeep(): PatchError {
  return new PatchError("limit", `a strategic merge patch may be nested at most ${maxDepth} levels deep`);
}
