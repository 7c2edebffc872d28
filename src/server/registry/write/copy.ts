import { failures } from "../../../model/core.js";
import { setOwn, type MutableObject } from "../../../model/patch/own-property.js";
import { defaultLimits } from "../../decode/decode-limits.js";

/**
 * A copy that may be changed, whatever of the value is frozen or shared. It is JSON: fields that are undefined are
 * left out, as they would be when it is stored.
 *
 * @throws {ApiError} 400 for what JSON cannot carry, and for what is nested more deeply than a body may be.
 */
export function copyOf<Value>(value: Value): Value {
  return copyAt(value, 0, false) as Value;
}

/** The same, but what is frozen stays shared: for those who replace such parts, and never write to them. */
export function copyOfLoose<Value>(value: Value): Value {
  return copyAt(value, 0, true) as Value;
}

function copyAt(value: unknown, depth: number, sharing: boolean): unknown {
  if (typeof value !== "object") {
    checkPlain(value);
    return value;
  }
  if (value === null || (sharing && Object.isFrozen(value))) return value;
  if (depth === defaultLimits.depth) {
    throw failures.badRequest(`the object is nested too deeply: there are more than ${depth} levels`);
  }
  if (Array.isArray(value)) return value.map((item) => copyAt(item ?? null, depth + 1, sharing));
  const copy: MutableObject = {};
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key];
    if (part !== undefined) setOwn(copy, key, copyAt(part, depth + 1, sharing) as MutableObject[string]);
  }
  return copy;
}

function checkPlain(value: unknown): void {
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return;
  throw failures.badRequest(`the object is not JSON: it has ${String(value)} in it`);
}
