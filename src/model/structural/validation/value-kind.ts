import type { Json } from "../../object/json.js";

/** What a JSON value is. A number without a fraction is an integer, however it was written. */
export type ValueKind = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

/** Beyond this a whole number is no integer to Kubernetes, which has 64 bits for them. */
const largestInteger = 2 ** 63;

/** What a value is. */
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

/** How far from a whole number one may be and still count as it, in relation to its size. */
const epsilon = 1e-9;

/** Whether a number counts as whole. Kubernetes overlooks what arithmetic with fractions leaves behind. */
export function isNearlyInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole > 0 && (value - whole) / (value + whole) < epsilon;
}

/** How many characters a text has; half of a surrogate pair is one. */
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
