import type { CelList } from "./list.js";
import type { CelMap } from "./map.js";

/**
 * A value while an expression runs. Whole numbers are bigints, other numbers doubles, texts strings; errors are
 * values as well, since `false && error` is false.
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

/** A whole number without a sign. */
export class CelUint {
  constructor(readonly value: bigint) {}
}

/** A point in time: nanoseconds since 1970. */
export class CelTimestamp {
  constructor(readonly nanoseconds: bigint) {}
}

/** A span of time, in nanoseconds. */
export class CelDuration {
  constructor(readonly nanoseconds: bigint) {}
}

/** A type as a value: what `type(x)` yields. */
export class TypeValue {
  constructor(readonly name: string) {}
}

/** A value that may be missing. */
export class CelOptional {
  constructor(readonly value: CelValue | undefined) {}
}

export const noValue = new CelOptional(undefined);

/** What went wrong while an expression ran. */
export class CelError {
  constructor(readonly message: string) {}
}

/** A value of a library: a quantity, an address. */
export interface OpaqueValue {
  readonly typeName: string;
  equals(other: OpaqueValue): boolean;
  /** How long it is for the reckoning of costs. */
  readonly size?: number;
}

/** No function takes these values. */
export function noSuchOverload(): CelError {
  return new CelError("no such overload");
}
