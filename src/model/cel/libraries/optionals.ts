import { equal } from "../values/equality.js";
import { sizeOf } from "../values/kind.js";
import { CelList } from "../values/list.js";
import { isMap } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import {
  CelError,
  CelDuration,
  noValue,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
} from "../values/value.js";
import { metered, overload, type Overload } from "./function.js";

function isZero(value: CelValue, meter: Meter): boolean {
  if (value === null) return true;
  if (typeof value === "string" || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelList || isMap(value)) return sizeOf(value) === 0;
  const zeros: readonly CelValue[] = [
    0n,
    false,
    new CelDuration(0n),
    new CelTimestamp(-62_135_596_800_000_000_000n),
  ];
  if (value instanceof CelUint) return value.value === 0n;
  return zeros.some((zero) => equal(zero, value, meter) === true);
}

function unwrap(list: CelList): CelValue {
  const items: CelValue[] = [];
  for (const item of list) {
    if (item instanceof CelOptional && item.value !== undefined) items.push(item.value);
  }
  return new CelList(items);
}

function itemOrNone(list: CelList, index: number): CelValue {
  const item = list.item(index);
  if (item instanceof CelError) return item;
  return item === undefined ? noValue : new CelOptional(item);
}

/**
 * Functions on optional values. The evaluator implements `or` and `orValue`, which evaluate their argument
 * lazily.
 */
export const optionalFunctions: readonly Overload[] = [
  overload("optional.of", "optional_of", "(V): optional(V)", (value: CelValue) => new CelOptional(value)),
  metered(
    "optional.ofNonZeroValue",
    "optional_ofNonZeroValue",
    "(V): optional(V)",
    (meter, value: CelValue) => (isZero(value, meter) ? noValue : new CelOptional(value)),
  ),
  overload("optional.none", "optional_none", "(): optional(V)", () => noValue),
  overload("value", "optional_value", "optional(V).(): V", ({ value }: CelOptional) =>
    value === undefined ? new CelError("optional.none() dereference") : value,
  ),
  overload(
    "hasValue",
    "optional_hasValue",
    "optional(V).(): bool",
    ({ value }: CelOptional) => value !== undefined,
  ),
  overload(
    "or",
    "optional_or_optional",
    "optional(V).(optional(V)): optional(V)",
    (value: CelOptional, other: CelOptional) => (value.value === undefined ? other : value),
  ),
  overload(
    "orValue",
    "optional_orValue_value",
    "optional(V).(V): V",
    ({ value }: CelOptional, other: CelValue) => (value === undefined ? other : value),
  ),
  overload("first", "list_first", "list(V).(): optional(V)", (list: CelList) => itemOrNone(list, 0)),
  overload("last", "list_last", "list(V).(): optional(V)", (list: CelList) =>
    itemOrNone(list, list.size - 1),
  ),
  metered("optional.unwrap", "optional_unwrap", "(list(optional(V))): list(V)", (meter, list: CelList) => {
    meter.work(list.size);
    return unwrap(list);
  }),
  metered("unwrapOpt", "optional_unwrapOpt", "list(optional(V)).(): list(V)", (meter, list: CelList) => {
    meter.work(list.size);
    return unwrap(list);
  }),
  overload(
    "cel.@mapInsert",
    "@mapInsert_map_key_value",
    "(map(K, V), K, V): map(K, V)",
    (map: CelValue) => map,
  ),
  overload(
    "cel.@mapInsert",
    "@mapInsert_map_map",
    "(map(K, V), map(K, V)): map(K, V)",
    (map: CelValue) => map,
  ),
];
