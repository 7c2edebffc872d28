import type { Json, JsonObject } from "../object/json.js";

/** An object that is still being built and that nobody else holds yet. */
export type MutableObject = { [key: string]: Json };

/** Writes a field as the object's own. Assigning to `__proto__` would change the prototype instead. */
export function setOwn(object: MutableObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The object's own field, or undefined; never something inherited such as `constructor`. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
