import { isJsonObject } from "../../../src/model/object/json.js";
import type { Json, JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";

/** A field or an item of a value, which can be read and written. */
export interface Place {
  readonly pointer: string;
  readonly holder: JsonObject | Json[];
  readonly key: string | number;
}

/** All places in a value, the whole not among them. */
export function placesIn(value: Json, pointer = "", found: Place[] = []): Place[] {
  if (Array.isArray(value)) {
    for (const [key, item] of value.entries()) add(value, key, item);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) add(value, key, item);
  }
  return found;

  function add(holder: JsonObject | Json[], key: string | number, item: Json): void {
    const below = `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    found.push({ pointer: below, holder, key });
    placesIn(item, below, found);
  }
}

/** Any place in a value; undefined when it has none. */
export function somePlace(value: Json | undefined, choices: Choices): Place | undefined {
  const places = value === undefined ? [] : placesIn(value);
  return places.length === 0 ? undefined : choices.pick(places);
}

export function read({ holder, key }: Place): Json | undefined {
  return (holder as Record<string | number, Json>)[key];
}

export function put({ holder, key }: Place, given: Json): void {
  // A copy: what others are given too must not change with this one.
  const value = structuredClone(given);
  // As a field of its own, also where it is called __proto__.
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

export function drop({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

/** Gives an object a field; everywhere else objects are not changed, here they are there for nothing else. */
export function setField(object: JsonObject, key: string, value: Json): void {
  put({ pointer: "", holder: object, key }, value);
}
