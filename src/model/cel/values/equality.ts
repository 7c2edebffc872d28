import { getOwn, type Json, jsonEqual } from "../../object/json.js";
import { CelList } from "./list.js";
import { type CelMap, isMap, keyText } from "./map.js";
import type { Meter } from "./meter.js";
import {
  CelError,
  CelDuration,
  noSuchOverload,
  type OpaqueValue,
  CelOptional,
  CelTimestamp,
  TypeValue,
  CelUint,
  type CelValue,
} from "./value.js";

/**
 * Compares two values. Numbers of different types are compared by value; values of other types are never
 * equal.
 */
export function equal(a: CelValue, b: CelValue, meter: Meter): boolean | CelError {
  if (a instanceof CelError) return a;
  if (b instanceof CelError) return b;
  meter.work(1);
  if (a === null || b === null) return a === b;
  if (isNumber(a)) return isNumber(b) && numbersEqual(a, b);
  if (typeof a === "string") {
    meter.work(a.length / 16);
    return a === b;
  }
  if (typeof a === "boolean") return a === b;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && bytesEqual(a, b, meter);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value, meter);
  }
  if (a instanceof CelList) return b instanceof CelList ? listsEqual(a, b, meter) : false;
  if (isMap(a)) return isMap(b) ? mapsEqual(a, b, meter) : false;
  return isOpaque(b) && a.typeName === b.typeName ? a.equals(b) : noSuchOverload();
}

export function isOpaque(value: CelValue): value is OpaqueValue {
  return typeof value === "object" && value !== null && "typeName" in value;
}

function isNumber(value: CelValue): value is bigint | number | CelUint {
  return typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;
}

function numbersEqual(a: bigint | number | CelUint, b: bigint | number | CelUint): boolean {
  const [left, right] = [a instanceof CelUint ? a.value : a, b instanceof CelUint ? b.value : b];
  // eslint-disable-next-line eqeqeq -- a bigint and a double with the same value are loosely equal only
  return left == right;
}

function bytesEqual(a: Uint8Array, b: Uint8Array, meter: Meter): boolean {
  meter.work(a.length / 16);
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function listsEqual(a: CelList, b: CelList, meter: Meter): boolean | CelError {
  if (a.size !== b.size) return false;
  meter.work(5);
  if (a.semantics.type === "set") {
    const items = new Set<string | CelValue>();
    for (const item of a) items.add(setKey(item, meter));
    for (const item of b) if (!items.has(setKey(item, meter))) return false;
    return true;
  }
  if (a.semantics.type === "map") {
    const { keys } = a.semantics;
    const items = new Map<string, CelValue>();
    for (const item of a) items.set(itemKey(item, keys, meter), item);
    for (const item of b) {
      const own = items.get(itemKey(item, keys, meter));
      const same = own === undefined ? false : equal(own, item, meter);
      if (same !== true) return same;
    }
    return true;
  }
  for (let index = 0; index < a.size; index++) {
    const same = equal(a.item(index) ?? null, b.item(index) ?? null, meter);
    if (same !== true) return same;
  }
  return true;
}

/** Identity of an item of a set. */
export function setKey(item: CelValue, meter: Meter): string | CelValue {
  meter.work(1);
  return keyText(item) ?? item;
}

/** Identity of an item of a list with keys. */
export function itemKey(item: CelValue, keys: readonly string[], meter: Meter): string {
  meter.work(keys.length);
  if (!isMap(item)) return "";
  const parts = keys.map((key) => {
    const value = item.raw ? getOwn(item.raw, key) : item.find(key);
    return typeof value === "bigint" ? Number(value) : value;
  });
  return JSON.stringify(parts);
}

function mapsEqual(a: CelMap, b: CelMap, meter: Meter): boolean | CelError {
  if (a.size !== b.size) return false;
  meter.work(10 + 5 * a.size);
  if (a.raw && a.isDescribed) {
    for (const [key, value] of Object.entries(a.raw)) {
      if (a.isDescribed(key)) continue;
      // Undeclared fields are compared as JSON.
      if (!b.raw) return noSuchOverload();
      const other = getOwn(b.raw, key);
      meter.work(weight(value));
      if (other !== undefined && !jsonEqual(value, other)) return false;
    }
  }
  for (const key of a.keys()) {
    const own = a.find(key);
    // Null fields of objects count as missing.
    if (own === undefined) continue;
    const other = b.find(key);
    if (other === undefined) return false;
    const same = equal(own, other, meter);
    if (same !== true) return same;
  }
  return true;
}

/** Number of nested values. */
function weight(value: Json): number {
  let count = 0;
  const open: Json[] = [value];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    count++;
    if (typeof part === "object" && part !== null) {
      for (const inner of Object.values(part)) open.push(inner);
    }
  }
  return count;
}
