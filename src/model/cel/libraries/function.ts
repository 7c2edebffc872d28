import { readSignature, type Signature } from "../types/signature.js";
import type { CelType } from "../types/type.js";
import { isOpaque } from "../values/equality.js";
import { CelList } from "../values/list.js";
import { isMap } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import {
  CelDuration,
  CelOptional,
  CelTimestamp,
  TypeValue,
  CelUint,
  type CelValue,
} from "../values/value.js";

/** Overload of a function. */
export interface Overload {
  readonly name: string;
  /** cel-go's name for the overload, which determines its cost. */
  readonly id: string;
  readonly signature: Signature;
  run(args: readonly CelValue[], meter: Meter): CelValue;
}

/**
 * Declares an overload.
 *
 * @example
 * overload("charAt", "string_char_at_int", "string.(int): string", (text: string, index: bigint) => …)
 */
export function overload(
  name: string,
  id: string,
  signature: string,
  run: (...args: never[]) => CelValue,
): Overload {
  return {
    name,
    id,
    signature: readSignature(signature),
    // The dispatcher has checked the arguments against the signature.
    run: (args) => run(...(args as readonly unknown[] as never[])),
  };
}

/** Declares an overload that counts its work. */
export function metered(
  name: string,
  id: string,
  signature: string,
  run: (meter: Meter, ...args: never[]) => CelValue,
): Overload {
  return {
    name,
    id,
    signature: readSignature(signature),
    run: (args, meter) => run(meter, ...(args as readonly unknown[] as never[])),
  };
}

/** Checks that a value has a type. Elements of containers are not checked. */
export function accepts(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case "int":
      return typeof value === "bigint";
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "bool":
      return typeof value === "boolean";
    case "uint":
      return value instanceof CelUint;
    case "bytes":
      return value instanceof Uint8Array;
    case "timestamp":
      return value instanceof CelTimestamp;
    case "duration":
      return value instanceof CelDuration;
    case "list":
      return value instanceof CelList;
    case "map":
      return isMap(value);
    case "type":
      return value instanceof TypeValue;
    case "null":
      return value === null;
    case "opaque":
    case "struct":
      if (type.name === "optional_type") return value instanceof CelOptional;
      return isOpaque(value) && value.typeName === type.name;
    default:
      return true;
  }
}
