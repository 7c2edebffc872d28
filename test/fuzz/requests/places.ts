import { isJsonObject } from "../../../src/model/object/json.js";
import type { Json, JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";

/** Readable and writable field or item of a value. */
export interface Place {
  readonly pointer: string;
  readonly holder: JsonObject | Json[];
  readonly key: string | number;
}

/** All fields and items of a value. */
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

/** Random field or item; undefined when there is none. */
export function somePlace(value: Json | undefined, choices: Choices): Place | undefined {
  const places = value === undefined ? [] : placesIn(value);
  return places.length === 0 ? undefined : choices.pick(places);
}

export function read({ holder, key }: Place): Json | undefined {
  return (holder as Record<string | number, Json>)[key];
}

export function put({ holder, key }: Place, given: Json): void {
  // A copy, since other requests use the same value.
  const value = structuredClone(given);
  // As an own field, even if it is called __proto__.
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

export function drop({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

/** Sets a field of an object in place. */
export function setField(object: JsonObject, key: string, value: Json): void {
  put({ pointer: "", holder: object, key }, value);
}
