import { getOwn, type Json, type JsonArray, jsonEqual, type JsonObject } from "../../object/json.js";
import {
  emptySet,
  type FieldSet,
  type FieldSetDraft,
  sortedSet,
  isEmpty,
  recursiveDifference,
  self,
  unionNodes,
} from "../fields/field-set.js";
import { fieldElement, type PathElement } from "../fields/path-element.js";
import { haveSameNodes, type CachedMapNode, RecentByType, MapNodeBuilder } from "./recent-sets.js";
import { type FieldType, type ListFieldType, type MapFieldType, atomicType } from "./field-type.js";
import { itemsByElement } from "./list-items.js";
import { asList, asMap, isEmptyMap, type Shape, shapeOf } from "./shape.js";

/** Fields that differ between two objects. No field is in more than one set. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Comparison of equal objects. */
const noChange: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

/**
 * Compares the fields of two values. Unlike in `fieldSetOf`, an added map or list is a member itself, with
 * everything in it; likewise for removed ones.
 */
export function compareTyped(before: Json, after: Json, type: FieldType): Comparison {
  const visitedBefore = visitedFields;
  return toComparison(compareValues(before, after, type), type, visitedBefore);
}

const recentAdditions = new RecentByType<FieldType, FieldSet>();

function toComparison(change: NodeChange | undefined, type: FieldType, visitedBefore: number): Comparison {
  if (change === undefined) return noChange;
  const { added, modified = emptySet, removed = emptySet } = change;
  const shared = added && reuseRecent(recentAdditions, type, added, visitedBefore);
  return { added: shared ?? emptySet, modified, removed };
}

/** Compares whole objects, ignoring their managedFields, which are often the larger part. */
export function compareObjects(before: JsonObject, after: JsonObject, type: FieldType): Comparison {
  const meta = type.map?.typeOf("metadata");
  const old = asMap(getOwn(before, "metadata"));
  const now = asMap(getOwn(after, "metadata"));
  if (type.map === undefined || meta?.map === undefined || old === undefined || now === undefined) {
    return compareTyped(before, after, type);
  }
  const visitedBefore = visitedFields;
  const draft = new NodeChangeDraft();
  compareFields(before, after, type.map, "metadata", draft);
  const metadata = new NodeChangeDraft();
  if (old !== now) compareFields(old, now, meta.map, "managedFields", metadata);
  draft.put(fieldElement("metadata"), metadata.finish());
  return toComparison(draft.finish(), type, visitedBefore);
}

/** True if nothing differs. */
function isUnchanged({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** Comparison without some fields and everything below them. */
export function ignoring(comparison: Comparison, fields: FieldSet): Comparison {
  if (isEmpty(fields) || isUnchanged(comparison)) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

/**
 * Change of one value. The sets are nodes: an empty one means that the value itself was added, modified or
 * removed.
 */
interface NodeChange {
  readonly added?: FieldSet | undefined;
  readonly modified?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

const modifiedValue: NodeChange = { modified: emptySet };

function compareValues(
  before: Json | undefined,
  after: Json | undefined,
  type: FieldType,
): NodeChange | undefined {
  // Most values are unchanged, and often identical.
  if (before === after) return undefined;
  if (before === undefined) return after === undefined ? undefined : { added: allFields(after, type) };
  if (after === undefined) return { removed: allFields(before, type) };
  const shape = shapeOf(type, after);
  const oldShape = shapeOf(type, before);
  const change = compareAs(shape, before, after, type);
  // If the type of a value changes, its old content is removed.
  return shape === oldShape ? change : mergeChanges(compareAs(oldShape, before, after, type), change);
}

function compareAs(shape: Shape, before: Json, after: Json, type: FieldType): NodeChange | undefined {
  if (shape === "scalar") return compareWhole(before, after);
  if (shape === "list") {
    const old = asList(before);
    const now = asList(after);
    const empty = (old === undefined || old.length === 0) && (now === undefined || now.length === 0);
    if (type.list === undefined || type.list.atomic || empty) return compareWhole(before, after);
    return compareItems(old, now, type.list);
  }
  const old = asMap(before);
  const now = asMap(after);
  if (type.map === undefined || type.map.atomic || (isEmptyMap(old) && isEmptyMap(now))) {
    return compareWhole(before, after);
  }
  const draft = new NodeChangeDraft();
  compareFields(old, now, type.map, undefined, draft);
  return draft.finish();
}

function compareWhole(before: Json, after: Json): NodeChange | undefined {
  return jsonEqual(before, after) ? undefined : modifiedValue;
}

function compareFields(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  type: MapFieldType,
  except: string | undefined,
  draft: NodeChangeDraft,
): void {
  if (before !== undefined) {
    for (const name in before) {
      const old = before[name];
      const now = after && getOwn(after, name);
      if (old === now || name === except) continue;
      draft.put(fieldElement(name), compareValues(old, now, type.typeOf(name) ?? atomicType));
    }
  }
  if (after !== undefined) {
    for (const name in after) {
      if (name === except || (before !== undefined && Object.hasOwn(before, name))) continue;
      draft.put(fieldElement(name), compareValues(undefined, after[name], type.typeOf(name) ?? atomicType));
    }
  }
}

function compareItems(
  before: JsonArray | undefined,
  after: JsonArray | undefined,
  type: ListFieldType,
): NodeChange | undefined {
  // Most lists are unchanged; then the keys of their items are not needed.
  if (before !== undefined && after !== undefined && jsonEqual(before, after)) return undefined;
  const draft = new NodeChangeDraft();
  const olds = itemsByElement(type, before);
  const news = itemsByElement(type, after);
  for (const [element, old] of olds) draft.put(element, compareItem(old, news.get(element) ?? [], type));
  for (const [element, now] of news) {
    if (!olds.has(element)) draft.put(element, compareItem([], now, type));
  }
  return draft.finish();
}

/** Compares items with the same key. Several items with one key are compared as a whole. */
function compareItem(
  olds: readonly Json[],
  news: readonly Json[],
  type: ListFieldType,
): NodeChange | undefined {
  if (olds.length <= 1 && news.length <= 1) return compareValues(olds[0], news[0], type.element);
  if (olds.length > 1 && news.length > 1) return compareWhole(olds, news);
  if (olds.length > 1)
    return mergeChanges(compareValues(undefined, news[0], type.element), { removed: emptySet });
  return mergeChanges(compareValues(olds[0], undefined, type.element), { added: emptySet });
}

/** Node of an added or removed value: itself and everything in it. */
function allFields(value: Json, type: FieldType): FieldSet {
  const shape = shapeOf(type, value);
  if (shape === "scalar") return emptySet;
  if (shape === "list") {
    const items = asList(value);
    if (type.list === undefined || type.list.atomic || items === undefined) return emptySet;
    return allListFields(items, type.list);
  }
  const map = asMap(value);
  if (type.map === undefined || type.map.atomic || map === undefined || isEmptyMap(map)) return emptySet;
  return allMapFields(map, type.map);
}

/** Sets with more fields are not cached: they are large and rarely alike. */
const maxCachedFields = 1000;
/** Counter of visited fields; differences give the size of a value. */
let visitedFields = 0;

const recentLists = new RecentByType<ListFieldType, FieldSet>();

function allListFields(items: JsonArray, type: ListFieldType): FieldSet {
  const before = visitedFields;
  const draft: FieldSetDraft = { [self]: emptySet };
  for (const [element, [item, ...duplicates]] of itemsByElement(type, items)) {
    if (item !== undefined) draft[element] = duplicates.length > 0 ? emptySet : allFields(item, type.element);
  }
  visitedFields += items.length;
  return Object.keys(draft).length === 1
    ? emptySet
    : reuseRecent(recentLists, type, sortedSet(draft), before);
}

/**
 * Returns an equal recent set of the same type, or the set itself; `before` is the counter of visited fields
 * before it.
 */
function reuseRecent<Type extends object>(
  cache: RecentByType<Type, FieldSet>,
  type: Type,
  set: FieldSet,
  before: number,
): FieldSet {
  if (visitedFields - before > maxCachedFields) return set;
  const recent = cache.find(type, (each) => haveSameNodes(each, set));
  if (recent === undefined) cache.add(type, set);
  return recent ?? set;
}

const recentMaps = new RecentByType<MapFieldType, CachedMapNode>();

function allMapFields(map: JsonObject, type: MapFieldType): FieldSet {
  const before = visitedFields;
  const names = Object.keys(map);
  const like = recentMaps.find(
    type,
    (each) => each.names.length === names.length && each.names[0] === names[0],
  );
  const node = new MapNodeBuilder(like);
  for (const name of names) {
    const field = map[name];
    visitedFields += 1;
    if (field !== undefined) node.add(name, allFields(field, type.typeOf(name) ?? atomicType));
  }
  const built = node.finish();
  if (built !== like && visitedFields - before <= maxCachedFields) recentMaps.add(type, built, like);
  return built.set;
}

/** Change of a value, built part by part. */
class NodeChangeDraft {
  added: FieldSetDraft | undefined;
  modified: FieldSetDraft | undefined;
  removed: FieldSetDraft | undefined;

  put(element: PathElement, change: NodeChange | undefined): void {
    if (change === undefined) return;
    if (change.added !== undefined) (this.added ??= {})[element] = change.added;
    if (change.modified !== undefined) (this.modified ??= {})[element] = change.modified;
    if (change.removed !== undefined) (this.removed ??= {})[element] = change.removed;
  }

  finish(): NodeChange | undefined {
    const { added, modified, removed } = this;
    if (added === undefined && modified === undefined && removed === undefined) return undefined;
    return {
      added: added && sortedSet(added),
      modified: modified && sortedSet(modified),
      removed: removed && sortedSet(removed),
    };
  }
}

function mergeChanges(left: NodeChange | undefined, right: NodeChange | undefined): NodeChange | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    added: unionOptional(left.added, right.added),
    modified: unionOptional(left.modified, right.modified),
    removed: unionOptional(left.removed, right.removed),
  };
}

function unionOptional(left: FieldSet | undefined, right: FieldSet | undefined): FieldSet | undefined {
  return left === undefined || right === undefined ? (left ?? right) : unionNodes(left, right);
}
