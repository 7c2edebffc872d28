import { equal } from "../values/equality.js";
import { sizeOf } from "../values/kind.js";
import { CelList } from "../values/list.js";
import { isMap } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { CelError, Duration, none, Optional, Timestamp, Uint, type Value } from "../values/value.js";
import { metered, overload, type Overload } from "./function.js";

function isZero(value: Value, meter: Meter): boolean {
  if (value === null) return true;
  if (typeof value === "string" || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelList || isMap(value)) return sizeOf(value) === 0;
  const zeros: readonly Value[] = [0n, false, new Duration(0n), new Timestamp(-62_135_596_800_000_000_000n)];
  if (value instanceof Uint) return value.value === 0n;
  return zeros.some((zero) => equal(zero, value, meter) === true);
}

function unwrap(list: CelList): Value {
  const items: Value[] = [];
  for (const item of list) {
    if (item instanceof Optional && item.value !== undefined) items.push(item.value);
  }
  return new CelList(items);
}

function itemOrNone(list: CelList, index: number): Value {
  const item = list.item(index);
  if (item instanceof CelError) return item;
  return item === undefined ? none : new Optional(item);
}

/** Values that may be missing. `or` and `orValue` are run by the evaluator, which looks right only if it has to. */
export const optionalFunctions: readonly Overload[] = [
  overload("optional.of", "optional_of", "(V): optional(V)", (value: Value) => new Optional(value)),
  metered("optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V): optional(V)", (meter, value: Value) =>
    isZero(value, meter) ? none : new Optional(value),
  ),
  overload("optional.none", "optional_none", "(): optional(V)", () => none),
  overload("value", "optional_value", "optional(V).(): V", ({ value }: Optional) =>
    value === undefined ? new CelError("optional.none() dereference") : value,
  ),
  overload(
    "hasValue",
    "optional_hasValue",
    "optional(V).(): bool",
    ({ value }: Optional) => value !== undefined,
  ),
  overload(
    "or",
    "optional_or_optional",
    "optional(V).(optional(V)): optional(V)",
    (value: Optional, other: Optional) => (value.value === undefined ? other : value),
  ),
  overload("orValue", "optional_orValue_value", "optional(V).(V): V", ({ value }: Optional, other: Value) =>
    value === undefined ? other : value,
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
  overload("cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V): map(K, V)", (map: Value) => map),
  overload("cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)): map(K, V)", (map: Value) => map),
];
