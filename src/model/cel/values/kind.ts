import { isOpaque } from "./equality.js";
import { CelList } from "./list.js";
import { isMap } from "./map.js";
import { textSize } from "./text.js";
import {
  CelError,
  CelDuration,
  CelOptional,
  CelTimestamp,
  TypeValue,
  CelUint,
  type CelValue,
} from "./value.js";

/** Name of a value's type, as in `type(x)`. */
export function celTypeName(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    default:
  }
  if (value === null) return "null_type";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof CelUint) return "uint";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof TypeValue) return "type";
  if (value instanceof CelOptional) return "optional_type";
  if (value instanceof CelList) return "list";
  if (value instanceof CelError) return "error";
  if (isMap(value)) return "map";
  return isOpaque(value) ? value.typeName : "dyn";
}

/** Size as in `size(x)`; 1 for values without a size. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === "string") return textSize(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList) return value.size;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : sizeOf(value.value);
  if (value === undefined || value === null || typeof value !== "object") return 1;
  if (isMap(value)) return value.size;
  return isOpaque(value) ? (value.size ?? 1) : 1;
}
