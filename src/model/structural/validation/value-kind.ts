import type { Json } from "../../object/json.js";

/** JSON type of a value. A number without a fraction is an integer, however it was written. */
export type ValueKind = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

/** Larger integers are numbers to Kubernetes, which uses 64 bits. */
const largestInteger = 2 ** 63;

/** JSON type of a value. */
export function jsonKind(value: Json): ValueKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return Number.isInteger(value) && Math.abs(value) <= largestInteger ? "integer" : "number";
    case "boolean":
      return "boolean";
    default:
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
  }
}

/** Relative tolerance for integers. */
const epsilon = 1e-9;

/** True if a number counts as an integer. Kubernetes tolerates rounding errors. */
export function isNearlyInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole > 0 && (value - whole) / (value + whole) < epsilon;
}

/** Number of code points; a lone surrogate counts as one. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) {
      count--;
      at++;
    }
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
