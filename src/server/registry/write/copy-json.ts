import { failures } from "../../../model/core.js";
import { type MutableObject, setOwn } from "../../../model/object/json.js";
import { defaultDecodeLimits } from "../../decode/decode-limits.js";

/**
 * Copies a JSON value so that all of it may be changed. Fields that are undefined are omitted, as they would be when stored.
 *
 * @throws {ApiError} 400 for values that JSON does not have, and for deeper nesting than a request body may have.
 */
export function copyJson<Value>(value: Value): Value {
  return copyAt(value, 0, "copy") as Value;
}

/** The same, but frozen parts stay shared: for callers that replace such parts and never write to them. */
export function copyUnfrozen<Value>(value: Value): Value {
  return copyAt(value, 0, "share") as Value;
}

function copyAt(value: unknown, depth: number, frozen: "copy" | "share"): unknown {
  if (typeof value !== "object") {
    checkPrimitive(value);
    return value;
  }
  if (value === null || (frozen === "share" && Object.isFrozen(value))) return value;
  if (depth === defaultDecodeLimits.depth) {
    throw failures.badRequest(`the object is nested too deeply: there are more than ${depth} levels`);
  }
  if (Array.isArray(value)) return value.map((item) => copyAt(item ?? null, depth + 1, frozen));
  const copy: MutableObject = {};
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key];
    if (part !== undefined) setOwn(copy, key, copyAt(part, depth + 1, frozen) as MutableObject[string]);
  }
  return copy;
}

function checkPrimitive(value: unknown): void {
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return;
  throw failures.badRequest(`the object is not JSON: it has ${String(value)} in it`);
}
