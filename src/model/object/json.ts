/** Any value that JSON can carry, never to be changed in place. */
export type Json = null | boolean | number | string | JsonArray | JsonObject;

/** A JSON list. */
export type JsonArray = readonly Json[];

/** A JSON map. Keys come from outside: read them with `Object.hasOwn` or `Object.keys`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a value is a JSON map, as opposed to a list, `null` or a plain value. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
