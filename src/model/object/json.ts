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

/** Whether a value is a JSON list. `Array.isArray` alone does not narrow a read-only list. */
export function isJsonArray(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

/**
 * Whether two JSON values are the same: the order of an object's fields does not matter, the order of a list
 * does. Walks with a stack of its own, so that no depth of nesting can overflow the call stack.
 */
export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right)) return false;
  const stack: (JsonArray | JsonObject)[] = [left, right];
  const same = (a: Json | undefined, b: Json | undefined): boolean => {
    if (a === b) return true;
    if (!isContainer(a) || !isContainer(b)) return false;
    stack.push(a, b);
    return true;
  };
  for (let b = stack.pop(), a = stack.pop(); a && b; b = stack.pop(), a = stack.pop()) {
    if (isJsonArray(a)) {
      if (!isJsonArray(b) || a.length !== b.length) return false;
      for (let index = 0; index < a.length; index++) if (!same(a[index], b[index])) return false;
    } else {
      if (isJsonArray(b)) return false;
      let more = 0;
      for (const key in a) {
        if (!Object.hasOwn(b, key) || !same(a[key], b[key])) return false;
        more += 1;
      }
      for (const _ in b) more -= 1;
      if (more !== 0) return false;
    }
  }
  return true;
}

function isContainer(value: Json | undefined): value is JsonArray | JsonObject {
  return typeof value === "object" && value !== null;
}

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
