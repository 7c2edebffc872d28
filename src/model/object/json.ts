/** Immutable JSON value. */
export type Json = null | boolean | number | string | JsonArray | JsonObject;

/** JSON array. */
export type JsonArray = readonly Json[];

/** JSON object. Keys come from clients: read them with `Object.hasOwn` or `Object.keys`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object, as opposed to an array, `null` or a scalar. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON array. `Array.isArray` alone does not narrow a read-only array. */
export function isJsonArray(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

/**
 * Compares two JSON values deeply; the order of fields does not matter. Uses an explicit stack, so that no
 * depth of nesting can overflow the call stack.
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

/** Number of fields and list items in a value. Counts no further than somewhat beyond `limit`. */
export function countFields(value: Json, limit = Infinity): number {
  let count = 0;
  const stack = isContainer(value) ? [value] : [];
  for (let next = stack.pop(); next !== undefined && count <= limit; next = stack.pop()) {
    if (isJsonArray(next)) {
      count += next.length;
      for (const item of next) if (isContainer(item)) stack.push(item);
    } else {
      for (const key in next) {
        count++;
        const part = next[key];
        if (isContainer(part)) stack.push(part);
      }
    }
  }
  return count;
}

function isContainer(value: Json | undefined): value is JsonArray | JsonObject {
  return typeof value === "object" && value !== null;
}

/** JSON object under construction, not shared yet. */
export type MutableObject = { [key: string]: Json };

/** Sets an own field. Assigning to `__proto__` would change the prototype instead. */
export function setOwn(object: MutableObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Reads an own field; never an inherited one such as `constructor`. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
