import type { Json } from "../../model/core.js";

/** Snapshot value that can be compared: JSON, Maps, Sets and dates, but no promise. */
export type Comparable = string | number | boolean | null | undefined | (object & { readonly then?: never });

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Converts a value to JSON for comparison: times become a placeholder, unordered collections are sorted, and generated
 * strings are replaced by the entries of `standsFor`. Throws for values that cannot be compared.
 */
export function comparable(value: unknown, standsFor: ReadonlyMap<string, string> = new Map()): Json {
  return convert(value, []);

  function convert(value: unknown, around: readonly object[]): Json {
    if (typeof value === "string") return time.test(value) ? "(a time)" : (standsFor.get(value) ?? value);
    if (typeof value === "number") return Number.isFinite(value) ? value : `(${value})`;
    if (typeof value === "boolean") return value;
    if (value === undefined || value === null) return null;
    if (typeof value !== "object") throw cannot(`a ${typeof value}`);
    if (isThenable(value)) {
      // The promise is rejected as a value; whether it fails does not matter.
      Promise.resolve(value).catch(() => {});
      throw cannot("a promise");
    }
    if (value instanceof Date) return "(a time)";
    if (around.includes(value)) throw cannot("a cyclic value");
    const inside = [...around, value];
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return convert(Reflect.apply(toJSON, value, []), inside);
    if (Array.isArray(value)) return value.map((item) => convert(item, inside));
    if (value instanceof Set) {
      return [...value].map((item) => convert(item, inside)).toSorted((a, b) => order(text(a), text(b)));
    }
    const entries = value instanceof Map ? [...value].map(keyed) : Object.entries(value);
    if (entries.length === 0 && isOpaque(value)) {
      throw cannot(`a ${value.constructor.name} without public fields`);
    }
    const fields = entries
      .filter(([, field]) => field !== undefined)
      .toSorted(([a], [b]) => order(a, b))
      .map(([name, field]) => [name, convert(field, inside)] as const);
    return Object.fromEntries(fields);
  }
}

function keyed([key, field]: readonly [unknown, unknown]): readonly [string, unknown] {
  if (typeof key !== "string" && typeof key !== "number" && typeof key !== "boolean") {
    throw cannot("a Map whose keys are not strings");
  }
  return [String(key), field];
}

export function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** True for an object whose state is in private fields: all of them would look equal. */
function isOpaque(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype && !(value instanceof Map);
}

const text = (value: Json): string => JSON.stringify(value);
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function cannot(what: string): TypeError {
  return new TypeError(`${what} cannot be compared: return plain data (JSON, Maps, Sets, dates)`);
}
