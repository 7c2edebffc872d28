import type { CelList } from "./list.js";
import type { CelMap } from "./map.js";

/**
 * Runtime value. Integers are bigints, other numbers doubles. Errors are values as well, because `false &&
 * error` is false.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | TypeValue
  | CelOptional
  | CelList
  | CelMap
  | OpaqueValue
  | CelError;

/** Unsigned integer. */
export class CelUint {
  constructor(readonly value: bigint) {}
}

/** Timestamp, in nanoseconds since 1970. */
export class CelTimestamp {
  constructor(readonly nanoseconds: bigint) {}
}

/** Duration, in nanoseconds. */
export class CelDuration {
  constructor(readonly nanoseconds: bigint) {}
}

/** Type as a value, as in `type(x)`. */
export class TypeValue {
  constructor(readonly name: string) {}
}

/** Optional value. */
export class CelOptional {
  constructor(readonly value: CelValue | undefined) {}
}

export const noValue = new CelOptional(undefined);

/** Runtime error. */
export class CelError {
  constructor(readonly message: string) {}
}

/** Value of a library type, such as a quantity or an address. */
export interface OpaqueValue {
  readonly typeName: string;
  equals(other: OpaqueValue): boolean;
  /** Size for cost computation. */
  readonly size?: number;
}

/** Error for a call without a matching overload. */
export function noSuchOverload(): CelError {
  return new CelError("no such overload");
}
