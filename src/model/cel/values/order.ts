import { compareText } from "./text.js";
import { CelError, CelDuration, noSuchOverload, CelTimestamp, CelUint, type CelValue } from "./value.js";

/** Orders two values: negative, zero or positive. Numbers of all types are comparable. */
export function compareValues(a: CelValue, b: CelValue): number | CelError {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const [left, right] = [toComparable(a), toComparable(b)];
  if (left !== undefined && right !== undefined && left.type === right.type) {
    if (Number.isNaN(left.value) || Number.isNaN(right.value)) {
      return new CelError("NaN values cannot be ordered");
    }
    if (left.value < right.value) return -1;
    return left.value > right.value ? 1 : 0;
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return noSuchOverload();
}

function toComparable(
  value: CelValue,
): { readonly type: string; readonly value: bigint | number } | undefined {
  if (typeof value === "bigint" || typeof value === "number") return { type: "number", value };
  if (value instanceof CelUint) return { type: "number", value: value.value };
  if (value instanceof CelTimestamp) return { type: "timestamp", value: value.nanoseconds };
  if (value instanceof CelDuration) return { type: "duration", value: value.nanoseconds };
  return undefined;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (const [index, byte] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (byte !== other) return byte < other ? -1 : 1;
  }
  return a.length === b.length ? 0 : -1;
}
