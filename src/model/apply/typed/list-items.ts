import { getOwn, isJsonObject, type Json, type JsonArray } from "../../object/json.js";
import { keyElement, type PathElement, valueElement } from "../fields/path-element.js";
import type { ListFieldType } from "./field-type.js";

/**
 * Creates the path element of a list item. A missing key field counts with its default; without a default it
 * is not part of the element.
 *
 * @returns the element, or the reason why there is none
 */
export function itemElement(list: ListFieldType, item: Json): { element: PathElement } | { fault: string } {
  if (list.keys.length === 0) return setElement(item);
  if (item === null) return { fault: "associative list with keys may not have a null element" };
  if (!isJsonObject(item)) return { fault: "associative list with keys may not have non-map elements" };
  const key: [string, Json][] = [];
  for (const name of list.keys) {
    const own = getOwn(item, name);
    const value = own === undefined ? list.element.map?.defaultOf(name) : own;
    if (value !== undefined) key.push([name, value]);
  }
  if (key.length > 0) return { element: keyElement(key) };
  const names = list.keys.map((name) => JSON.stringify(name)).join(" ");
  return {
    fault: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function setElement(item: Json): { element: PathElement } | { fault: string } {
  if (item === null) return { fault: "associative list without keys has an element that's an explicit null" };
  if (typeof item !== "object") return { element: valueElement(item) };
  return isJsonObject(item)
    ? { fault: "associative list without keys has an element that's a map type" }
    : { fault: "not supported: associative list with lists as elements" };
}

/** Groups items by path element, in list order. Items without one are omitted. */
export function itemsByElement(list: ListFieldType, items: JsonArray | undefined): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items ?? []) {
    const result = itemElement(list, item);
    if (!("element" in result)) continue;
    const same = found.get(result.element);
    if (same === undefined) found.set(result.element, [item]);
    else same.push(item);
  }
  return found;
}
