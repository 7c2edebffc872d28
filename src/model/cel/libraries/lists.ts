import { equal } from "../values/equality.js";
import type { CelList } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { checkedInt, checkedUint } from "../values/number.js";
import { compareValues } from "../values/order.js";
import { checkedDuration } from "../values/time.js";
import { CelError, CelDuration, noSuchOverload, CelUint, type CelValue } from "../values/value.js";
import { metered, type Overload } from "./function.js";

const comparableTypes = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

function isSorted(meter: Meter, list: CelList): CelValue {
  let before: CelValue | undefined;
  for (const item of list) {
    meter.work(1);
    const order = before === undefined ? 0 : compareValues(before, item);
    if (order instanceof CelError) return order;
    if (order > 0) return false;
    before = item;
  }
  return true;
}

function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof CelUint && b instanceof CelUint) return checkedUint(a.value + b.value);
  if (a instanceof CelDuration && b instanceof CelDuration)
    return checkedDuration(a.nanoseconds + b.nanoseconds);
  return noSuchOverload();
}

const zeros: readonly (readonly [string, CelValue])[] = [
  ["int", 0n],
  ["uint", new CelUint(0n)],
  ["double", 0],
  ["duration", new CelDuration(0n)],
];

/** Smallest (or largest) item. */
function extreme(name: string, sign: 1 | -1): (meter: Meter, list: CelList) => CelValue {
  return (meter, list) => {
    let best: CelValue | undefined;
    for (const item of list) {
      meter.work(1);
      if (item instanceof CelError) return item;
      const order = best === undefined ? 1 : compareValues(best, item);
      if (order instanceof CelError) return order;
      if (best === undefined || order * sign > 0) best = item;
    }
    return best ?? new CelError(`${name} called on empty list`);
  };
}

function find(meter: Meter, list: CelList, value: CelValue, places: Iterable<number>): CelValue {
  for (const index of places) {
    if (equal(list.item(index) ?? null, value, meter) === true) return BigInt(index);
  }
  return -1n;
}

function* upTo(size: number): Generator<number> {
  for (let index = 0; index < size; index++) yield index;
}

function* downFrom(size: number): Generator<number> {
  for (let index = size - 1; index >= 0; index--) yield index;
}

/** True if every item (with `some`, at least one) of `others` is in `list`. */
function covers(meter: Meter, list: CelList, others: CelList, some: boolean): boolean {
  for (const other of others) {
    let found = false;
    for (const item of list) {
      if (equal(item, other, meter) === true) {
        found = true;
        break;
      }
    }
    if (found === some) return some;
  }
  return !some;
}

/** Kubernetes' list library, and the sets extension. */
export const listFunctions: readonly Overload[] = [
  ...comparableTypes.flatMap((type) => [
    metered("isSorted", `list_${type}_is_sorted_bool`, `list(${type}).(): bool`, isSorted),
    metered("max", `list_${type}_max_${type}`, `list(${type}).(): ${type}`, extreme("max", -1)),
    metered("min", `list_${type}_min_${type}`, `list(${type}).(): ${type}`, extreme("min", 1)),
  ]),
  ...zeros.map(([type, zero]) =>
    metered("sum", `list_${type}_sum_${type}`, `list(${type}).(): ${type}`, (meter, list: CelList) => {
      let total = zero;
      for (const item of list) {
        meter.work(1);
        // The overload of a dynamic list is the first one; its items tell the real type.
        total = total === 0n && typeof item !== "bigint" ? item : add(total, item);
        if (total instanceof CelError) return total;
      }
      return total;
    }),
  ),
  metered("indexOf", "list_a_index_of_int", "list(A).(A): int", (meter, list: CelList, value: CelValue) =>
    find(meter, list, value, upTo(list.size)),
  ),
  metered(
    "lastIndexOf",
    "list_a_last_index_of_int",
    "list(A).(A): int",
    (meter, list: CelList, value: CelValue) => find(meter, list, value, downFrom(list.size)),
  ),
  metered(
    "sets.contains",
    "list_sets_contains_list",
    "(list(T), list(T)): bool",
    (meter, list: CelList, others: CelList) => covers(meter, list, others, false),
  ),
  metered(
    "sets.equivalent",
    "list_sets_equivalent_list",
    "(list(T), list(T)): bool",
    (meter, list: CelList, others: CelList) =>
      covers(meter, list, others, false) && covers(meter, others, list, false),
  ),
  metered(
    "sets.intersects",
    "list_sets_intersects_list",
    "(list(T), list(T)): bool",
    (meter, list: CelList, others: CelList) => covers(meter, list, others, true),
  ),
];
