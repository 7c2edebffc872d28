import {
  getOwn,
  type Json,
  type JsonArray,
  type JsonObject,
  type MutableObject,
  setOwn,
} from "../../object/json.js";
import type { PathElement } from "../fields/path-element.js";
import { type FieldType, type ListFieldType, type MapFieldType, atomicType } from "./field-type.js";
import { itemElement } from "./list-items.js";
import { asList, asMap, isEmptyMap, shapeOf } from "./shape.js";

/**
 * Merges a configuration into a stored value. Nothing is removed: scalars and atomic values are replaced,
 * maps and lists with keys are merged. A null replaces a scalar or an empty container, but does not clear a
 * map or list that others may have filled.
 */
export function mergeTyped(live: Json, config: Json, type: FieldType): Json {
  return mergeValues(live, config, type) ?? null;
}

/** Undefined if nothing is left, such as for a list without items. */
function mergeValues(live: Json | undefined, config: Json | undefined, type: FieldType): Json | undefined {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  switch (shapeOf(type, config)) {
    case "scalar":
      return config;
    case "list":
      return mergeLists(live, config, type.list);
    default:
      return mergeMaps(live, config, type.map);
  }
}

function mergeMaps(live: Json, config: Json, type: MapFieldType | undefined): Json {
  const [ours, theirs] = [asMap(live), asMap(config)];
  if (type === undefined || type.atomic || (isEmptyMap(ours) && isEmptyMap(theirs))) return config;
  return mergeFields(ours ?? {}, theirs ?? {}, type);
}

function mergeFields(live: JsonObject, config: JsonObject, type: MapFieldType): JsonObject {
  const merged: MutableObject = {};
  for (const name of Object.keys(live)) {
    const value = mergeValues(live[name], getOwn(config, name), type.typeOf(name) ?? atomicType);
    if (value !== undefined) setOwn(merged, name, value);
  }
  for (const name of Object.keys(config)) {
    const value = config[name];
    if (value !== undefined && getOwn(live, name) === undefined) setOwn(merged, name, value);
  }
  return merged;
}

function mergeLists(live: Json, config: Json, type: ListFieldType | undefined): Json | undefined {
  const [ours, theirs] = [asList(live) ?? [], asList(config) ?? []];
  if (type === undefined || type.atomic || (ours.length === 0 && theirs.length === 0)) return config;
  const merged = mergeItems(ours, theirs, type);
  return merged.length === 0 ? undefined : merged;
}

/**
 * Merges the items of both lists. Common items keep the order of the configuration; items that are only
 * stored keep their place behind what preceded them.
 *
 * Takes items from the front of both lists. A stored-only item is taken at once. A common item is taken when
 * it is next in the configuration. If it is met earlier among the stored ones, it is skipped, unless it is
 * the first common item of the configuration that remains: then the configuration's items up to it are taken
 * first.
 */
function mergeItems(live: JsonArray, config: JsonArray, type: ListFieldType): Json[] {
  const ours = indexItems(type, live);
  const theirs = indexItems(type, config);
  const common = theirs.elements.filter((element) => ours.items.has(element));
  const taken = new Set<PathElement>();
  const merged: Json[] = [];
  const take = (value: Json | undefined): void => {
    if (value !== undefined) merged.push(value);
  };
  const takeTheirs = (element: PathElement): void => {
    taken.add(element);
    take(mergeValues(ours.items.get(element), theirs.items.get(element), type.element));
  };

  let commonAt = 0;
  let nextCommon = common[commonAt];
  let [left, right] = [0, 0];
  while (left < ours.elements.length || right < theirs.elements.length) {
    const our = ours.elements[left];
    const their = theirs.elements[right];
    if (our !== undefined && their !== undefined) {
      if (our === their) {
        takeTheirs(our);
        left++;
        right++;
        nextCommon = common[++commonAt];
        continue;
      }
      if (theirs.items.has(our) && nextCommon !== undefined && nextCommon !== our) {
        left++;
        continue;
      }
    }
    if (our !== undefined) {
      if (!theirs.items.has(our)) {
        // By position: duplicates are kept as they are.
        take(live[ours.places[left] ?? 0]);
        left++;
        continue;
      }
      if (taken.has(our)) left++;
    }
    if (their !== undefined) {
      takeTheirs(their);
      right++;
      if (nextCommon === their) nextCommon = common[++commonAt];
    }
  }
  return merged;
}

interface Index {
  readonly elements: readonly PathElement[];
  /** Position of each element in the list. */
  readonly places: readonly number[];
  /** Duplicates count as null: they are replaced, not merged. */
  readonly items: ReadonlyMap<PathElement, Json>;
}

function indexItems(type: ListFieldType, list: JsonArray): Index {
  const elements: PathElement[] = [];
  const places: number[] = [];
  const items = new Map<PathElement, Json>();
  for (const [place, item] of list.entries()) {
    const result = itemElement(type, item);
    if (!("element" in result)) continue;
    items.set(result.element, items.has(result.element) ? null : item);
    elements.push(result.element);
    places.push(place);
  }
  return { elements, places, items };
}
