import { NamedFormat } from "../libraries/formats.js";
import { CelList } from "../values/list.js";
import { isMap } from "../values/map.js";
import { isOpaque } from "../values/equality.js";
import { sizeOf } from "../values/kind.js";
import type { CelValue } from "../values/value.js";
import { utf8Length } from "../../object/utf8.js";
import { listCost, mapCost, patternFactor, textFactor } from "./factors.js";

export { listCost, mapCost };

type CallCost = (args: readonly CelValue[], id: string, result: CelValue) => number;

const one: CallCost = () => 1;
const perCharacter: CallCost = ([text]) => Math.ceil(sizeOf(text) * textFactor);
const twicePerCharacter: CallCost = ([text]) => Math.ceil(sizeOf(text) * 2 * textFactor);
const patternCost = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * textFactor) * Math.ceil(pattern * patternFactor);
const perPattern: CallCost = ([text, pattern]) => patternCost(sizeOf(text), sizeOf(pattern));
const perElement: CallCost = ([list]) => (list === undefined ? 0 : traversal(list));
const containsAddress =
  (isNetwork: boolean): CallCost =>
  ([network, other], id) => {
    const size = sizeOf(network);
    let cost = Math.ceil(2 * size * textFactor);
    if (isNetwork) cost += Math.ceil(size * textFactor) + 1;
    return id.endsWith("_string") ? cost + Math.ceil(sizeOf(other) * textFactor) : cost;
  };
const sets =
  (factor: number): CallCost =>
  ([a, b]) =>
    sizeOf(a) * sizeOf(b) * factor + 1;

/** Cost of Kubernetes' functions, by name. */
const byName = new Map<string, CallCost>([
  ...each(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"], perElement),
  ...each(["url", "lowerAscii", "upperAscii", "substring", "trim"], perCharacter),
  ...each(["cidr", "isIP", "isCIDR", "quantity", "isQuantity"], perCharacter),
  ...each(["replace", "split", "ip.isCanonical"], twicePerCharacter),
  ["join", (_, __, result) => Math.ceil(sizeOf(result) * 2 * textFactor)],
  ...each(["find", "findAll"], perPattern),
  ["ip", (args, id) => (id === "cidr_ip" ? 1 : perCharacter(args, id, null))],
  ["containsIP", containsAddress(false)],
  ["containsCIDR", containsAddress(true)],
  [
    "validate",
    ([format, text]) => patternCost(sizeOf(text), format instanceof NamedFormat ? format.patternSize : 1),
  ],
]);

/** Cost of cel-go's functions, by overload. */
const byId = new Map<string, CallCost>([
  ...each(
    [
      "starts_with_string",
      "ends_with_string",
      "string_to_bytes",
      "bytes_to_string",
      "strings_quote",
      "string_format",
    ],
    perCharacter,
  ),
  ["in_list", ([, list]) => sizeOf(list)],
  ...each(["add_string", "add_bytes"], ([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * textFactor)),
  ["matches_string", perPattern],
  [
    "contains_string",
    ([text, part]) => Math.ceil(sizeOf(text) * textFactor) * Math.ceil(sizeOf(part) * textFactor),
  ],
  ["list_sets_contains_list", sets(1)],
  ["list_sets_intersects_list", sets(1)],
  ["list_sets_equivalent_list", sets(2)],
]);

const comparisons = /^(?:less|less_equals|greater|greater_equals)_(?:string|bytes)$|^(?:not_)?equals$/;

function each(names: readonly string[], cost: CallCost): [string, CallCost][] {
  return names.map((name) => [name, cost]);
}

/** Cost of a call, in Kubernetes' units. */
export function callCost(name: string, id: string, args: readonly CelValue[], result: CelValue): number {
  const own = byName.get(name) ?? byId.get(id);
  if (own) return own(args, id, result);
  if (!comparisons.test(id)) return one(args, id, result);
  const [a = null, b = null] = args;
  if (isOpaque(a)) return 1;
  return Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * textFactor);
}

function traversal(value: CelValue): number {
  if (typeof value === "string") return Math.floor(utf8Length(value) * textFactor);
  if (value instanceof Uint8Array) return Math.floor(value.length * textFactor);
  let cost = 0;
  if (value instanceof CelList) {
    for (const item of value) cost += traversal(item);
    return cost;
  }
  if (!isMap(value)) return 1;
  for (const key of value.keys()) cost += traversal(key) + traversal(value.find(key) ?? null);
  return cost;
}
