import { compareValues } from "../values/order.js";
import { equal, itemKey, setKey } from "../values/equality.js";
import { CelList, JoinedList, ListLike } from "../values/list.js";
import { type CelMap, renderKey } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { checkedInt, checkedUint } from "../values/number.js";
import { checkedDuration, checkedTimestamp } from "../values/time.js";
import {
  CelError,
  type CelDuration,
  noValue,
  CelOptional,
  type CelTimestamp,
  CelUint,
  type CelValue,
} from "../values/value.js";
import { metered, overload, type Overload } from "./function.js";

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const result = new Uint8Array(a.length + b.length);
  result.set(a);
  result.set(b, a.length);
  return result;
}

/** Concatenates lists: sets drop duplicates, and items with the same key replace each other. */
function addLists(meter: Meter, a: CelList, b: CelList): CelValue {
  const { semantics } = a;
  if (semantics.type === "atomic") return new JoinedList(a, b);
  const items = new Map<unknown, CelValue>();
  const keyOf = (item: CelValue): unknown =>
    semantics.type === "set" ? setKey(item, meter) : itemKey(item, semantics.keys, meter);
  for (const item of a) items.set(keyOf(item), item);
  for (const item of b) if (semantics.type === "map" || !items.has(keyOf(item))) items.set(keyOf(item), item);
  return new ListLike([...items.values()], semantics);
}

const additions: readonly Overload[] = [
  metered("_+_", "add_bytes", "(bytes, bytes): bytes", (meter, a: Uint8Array, b: Uint8Array) => {
    meter.work((a.length + b.length) / 16);
    return joinBytes(a, b);
  }),
  overload("_+_", "add_double", "(double, double): double", (a: number, b: number) => a + b),
  overload(
    "_+_",
    "add_duration_duration",
    "(duration, duration): duration",
    (a: CelDuration, b: CelDuration) => checkedDuration(a.nanoseconds + b.nanoseconds),
  ),
  overload(
    "_+_",
    "add_duration_timestamp",
    "(duration, timestamp): timestamp",
    (a: CelDuration, b: CelTimestamp) => checkedTimestamp(a.nanoseconds + b.nanoseconds),
  ),
  overload(
    "_+_",
    "add_timestamp_duration",
    "(timestamp, duration): timestamp",
    (a: CelTimestamp, b: CelDuration) => checkedTimestamp(a.nanoseconds + b.nanoseconds),
  ),
  overload("_+_", "add_int64", "(int, int): int", (a: bigint, b: bigint) => checkedInt(a + b)),
  metered("_+_", "add_list", "(list(A), list(A)): list(A)", addLists),
  overload("_+_", "add_string", "(string, string): string", (a: string, b: string) => a + b),
  overload("_+_", "add_uint64", "(uint, uint): uint", (a: CelUint, b: CelUint) =>
    checkedUint(a.value + b.value),
  ),
];

const subtractions: readonly Overload[] = [
  overload("_-_", "subtract_double", "(double, double): double", (a: number, b: number) => a - b),
  overload(
    "_-_",
    "subtract_duration_duration",
    "(duration, duration): duration",
    (a: CelDuration, b: CelDuration) => checkedDuration(a.nanoseconds - b.nanoseconds),
  ),
  overload("_-_", "subtract_int64", "(int, int): int", (a: bigint, b: bigint) => checkedInt(a - b)),
  overload(
    "_-_",
    "subtract_timestamp_duration",
    "(timestamp, duration): timestamp",
    (a: CelTimestamp, b: CelDuration) => checkedTimestamp(a.nanoseconds - b.nanoseconds),
  ),
  overload(
    "_-_",
    "subtract_timestamp_timestamp",
    "(timestamp, timestamp): duration",
    (a: CelTimestamp, b: CelTimestamp) => checkedDuration(a.nanoseconds - b.nanoseconds),
  ),
  overload("_-_", "subtract_uint64", "(uint, uint): uint", (a: CelUint, b: CelUint) =>
    checkedUint(a.value - b.value),
  ),
];

const byZero = new CelError("division by zero");
const moduloZero = new CelError("modulus by zero");

const products: readonly Overload[] = [
  overload("_/_", "divide_double", "(double, double): double", (a: number, b: number) => a / b),
  overload("_/_", "divide_int64", "(int, int): int", (a: bigint, b: bigint) =>
    b === 0n ? byZero : checkedInt(a / b),
  ),
  overload("_/_", "divide_uint64", "(uint, uint): uint", (a: CelUint, b: CelUint) =>
    b.value === 0n ? byZero : new CelUint(a.value / b.value),
  ),
  overload("_%_", "modulo_int64", "(int, int): int", (a: bigint, b: bigint) => {
    if (b === 0n) return moduloZero;
    return b === -1n && a === -(2n ** 63n) ? new CelError("integer overflow") : a % b;
  }),
  overload("_%_", "modulo_uint64", "(uint, uint): uint", (a: CelUint, b: CelUint) =>
    b.value === 0n ? moduloZero : new CelUint(a.value % b.value),
  ),
  overload("_*_", "multiply_double", "(double, double): double", (a: number, b: number) => a * b),
  overload("_*_", "multiply_int64", "(int, int): int", (a: bigint, b: bigint) => checkedInt(a * b)),
  overload("_*_", "multiply_uint64", "(uint, uint): uint", (a: CelUint, b: CelUint) =>
    checkedUint(a.value * b.value),
  ),
  overload("-_", "negate_double", "(double): double", (a: number) => -a),
  overload("-_", "negate_int64", "(int): int", (a: bigint) => checkedInt(-a)),
];

const ordered: readonly (readonly [string, string, string])[] = [
  ["bool", "bool", "bool"],
  ["int64", "int", "int"],
  ["int64_double", "int", "double"],
  ["int64_uint64", "int", "uint"],
  ["uint64", "uint", "uint"],
  ["uint64_double", "uint", "double"],
  ["uint64_int64", "uint", "int"],
  ["double", "double", "double"],
  ["double_int64", "double", "int"],
  ["double_uint64", "double", "uint"],
  ["string", "string", "string"],
  ["bytes", "bytes", "bytes"],
  ["timestamp", "timestamp", "timestamp"],
  ["duration", "duration", "duration"],
];

function comparison(name: string, id: string, holds: (order: number) => boolean): Overload[] {
  return ordered.map(([suffix, a, b]) =>
    overload(name, `${id}_${suffix}`, `(${a}, ${b}): bool`, (left: CelValue, right: CelValue) => {
      const order = compareValues(left, right);
      return order instanceof CelError ? order : holds(order);
    }),
  );
}

function at(list: CelList, index: bigint): CelValue | undefined {
  return index < 0n ? undefined : list.item(Number(index));
}

function entry(map: CelMap, key: CelValue): CelValue {
  return map.find(key) ?? new CelError(`no such key: ${renderKey(key)}`);
}

function item(list: CelList, index: bigint): CelValue {
  return at(list, index) ?? new CelError(`index out of bounds: ${index}`);
}

function optional(value: CelValue | undefined): CelValue {
  if (value instanceof CelError) return value;
  return value === undefined ? noValue : new CelOptional(value);
}

const access: readonly Overload[] = [
  overload("_[_]", "index_list", "(list(A), int): A", item),
  overload("_[_]", "index_map", "(map(A, B), A): B", entry),
  overload(
    "_[_]",
    "optional_list_index_int",
    "(optional(list(A)), int): optional(A)",
    (list: CelOptional, index: bigint) =>
      list.value instanceof CelList ? optional(at(list.value, index)) : noValue,
  ),
  overload(
    "_[_]",
    "optional_map_index_value",
    "(optional(map(A, B)), A): optional(B)",
    (map: CelOptional, key: CelValue) =>
      map.value === undefined ? noValue : optional((map.value as CelMap).find(key)),
  ),
  overload(
    "_[?_]",
    "list_optindex_optional_int",
    "(list(A), int): optional(A)",
    (list: CelList, index: bigint) => optional(at(list, index)),
  ),
  overload(
    "_[?_]",
    "optional_list_optindex_optional_int",
    "(optional(list(A)), int): optional(A)",
    (list: CelOptional, index: bigint) =>
      list.value instanceof CelList ? optional(at(list.value, index)) : noValue,
  ),
  overload(
    "_[?_]",
    "map_optindex_optional_value",
    "(map(A, B), A): optional(B)",
    (map: CelMap, key: CelValue) => optional(map.find(key)),
  ),
  overload(
    "_[?_]",
    "optional_map_optindex_optional_value",
    "(optional(map(A, B)), A): optional(B)",
    (map: CelOptional, key: CelValue) =>
      map.value === undefined ? noValue : optional((map.value as CelMap).find(key)),
  ),
];

/** Checks that a list contains a value. An error in a comparison matters only if no item is equal. */
function contains(meter: Meter, value: CelValue, list: CelList): CelValue {
  let fault: CelError | undefined;
  for (const each of list) {
    const same = equal(each, value, meter);
    if (same === true) return true;
    if (same instanceof CelError) fault ??= same;
  }
  return fault ?? false;
}

/** Operators. `&&`, `||` and `?:` are declared for their types; the evaluator implements them. */
export const operatorFunctions: readonly Overload[] = [
  overload("_&&_", "logical_and", "(bool, bool): bool", (a: boolean, b: boolean) => a && b),
  overload("_||_", "logical_or", "(bool, bool): bool", (a: boolean, b: boolean) => a || b),
  overload("_?_:_", "conditional", "(bool, A, A): A", (condition: boolean, yes: CelValue, no: CelValue) =>
    condition ? yes : no,
  ),
  overload("!_", "logical_not", "(bool): bool", (value: boolean) => !value),
  overload("@not_strictly_false", "not_strictly_false", "(bool): bool", (value: CelValue) => value !== false),
  metered("_==_", "equals", "(A, A): bool", (meter, a: CelValue, b: CelValue) => equal(a, b, meter)),
  metered("_!=_", "not_equals", "(A, A): bool", (meter, a: CelValue, b: CelValue) => {
    const same = equal(a, b, meter);
    return typeof same === "boolean" ? !same : same;
  }),
  ...additions,
  ...subtractions,
  ...products,
  ...comparison("_<_", "less", (order) => order < 0),
  ...comparison("_<=_", "less_equals", (order) => order <= 0),
  ...comparison("_>_", "greater", (order) => order > 0),
  ...comparison("_>=_", "greater_equals", (order) => order >= 0),
  ...access,
  metered("@in", "in_list", "(A, list(A)): bool", contains),
  overload("@in", "in_map", "(A, map(A, B)): bool", (key: CelValue, map: CelMap) => {
    const found = map.find(key);
    return found instanceof CelError ? found : found !== undefined;
  }),
];
