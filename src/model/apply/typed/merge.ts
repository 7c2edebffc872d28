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
 * What is live with a configuration laid over it. Nothing is removed: plain values and what is owned as a whole are the
 * configuration's where it has any, maps and lists with keys are merged. A null takes the place of a plain value or of
 * something empty, but does not empty a map or a list that others may have filled.
 */
export function mergeTyped(live: Json, config: Json, type: FieldType): Json {
  return mergeValues(live, config, type) ?? null;
}

/** Undefined when nothing is left, as of a list whose items all turn out to be nothing. */
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
 * The items of both lists. Those in both keep the order of the configuration; those that are only live keep their
 * place behind whatever stood before them.
 *
 * The walk takes items from the front of both lists. An item that is only live is taken as soon as it is met. An item
 * of both is taken when it is the next of the configuration; when it is met among the live ones before its turn, it is
 * passed over, unless it is the first common item of the configuration that is still to come: then the configuration's
 * items up to it are taken first.
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
        // By its place: of items with one key, each is kept as it is.
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
  /** Where in the list each of the elements is. */
  readonly places: readonly number[];
  /** Items with one key count as null: they are replaced, not merged with. */
  readonly items: ReadonlyMap<PathElement, Json>;
}

function indexItems(type: ListFieldType, list: JsonArray): Index {
  const elements: PathElement[] = [];
  const places: number[] = [];
  const items = new Map<PathElement, Json>();
  for (const [place, item] of list.entries()) {
    const known = itemElement(type, item);
    if (!("element" in known)) continue;
    items.set(known.element, items.has(known.element) ? null : item);
    elements.push(known.element);
    places.push(place);
  }
  return { elements, places, items };
}
