import type { CelType } from "../types/type.js";
import { isSameType } from "../types/type.js";
import { patternFactor, textFactor } from "./factors.js";
import {
  addRanges,
  exactly,
  multiplyRanges,
  type CostRange,
  scaleRange,
  unknownSize,
  unlimited,
} from "./range.js";

/** Argument of a call, for cost estimation. */
export interface Argument {
  readonly type: CelType;
  readonly size: CostRange | undefined;
  /** Size of the items of a list. */
  readonly itemSize: CostRange | undefined;
  /** Value of an integer literal. */
  readonly integer?: bigint | undefined;
}

/** Cost of a call without its arguments, and the size of its result. */
export interface CallEstimate {
  readonly cost: CostRange;
  readonly size?: CostRange | undefined;
}

type Estimate = (
  target: Argument | undefined,
  args: readonly Argument[],
  id: string,
) => CallEstimate | undefined;

const sizeOf = (argument: Argument | undefined): CostRange => argument?.size ?? unknownSize;
const one: CallEstimate = { cost: exactly(1) };
const constant: Estimate = () => one;
const sameText: Estimate = (target, args) => {
  const size = sizeOf(target ?? args[0]);
  return { cost: scaleRange(size, textFactor), size };
};
const parsing: Estimate = (_, args) => ({ cost: scaleRange(sizeOf(args[0]), textFactor) });

/** Cost of traversing a list or string. */
const perElement: Estimate = (target) => {
  if (!target) return undefined;
  const [item] = target.type.params;
  if (!item) return { cost: scaleRange(sizeOf(target), textFactor) };
  let each = exactly(1);
  if (item.kind === "string" || item.kind === "bytes") {
    each = addRanges(each, scaleRange(target.itemSize ?? unknownSize, textFactor));
  }
  return { cost: multiplyRanges(sizeOf(target), each) };
};

const pattern: Estimate = (target, args) => {
  if (!target) return undefined;
  const text = scaleRange(addRanges(sizeOf(target), exactly(1)), textFactor);
  return { cost: multiplyRanges(text, scaleRange(sizeOf(args[0]), patternFactor)) };
};

const replace: Estimate = (target, args) => {
  const [size, part, by] = [sizeOf(target), sizeOf(args[0]), sizeOf(args[1])];
  let [maxCount, maxKept, minCount, minKept] = [0, 0, 0, 0];
  if (part.min === 0) [maxCount, maxKept] = [size.max < unlimited ? size.max + 1 : size.max, size.max];
  else if (by.max <= part.min) maxKept = size.max;
  else maxCount = Math.ceil(size.max / part.min);
  if (part.max === 0) [minCount, minKept] = [size.min + 1, size.min];
  else if (part.max <= by.min) minKept = size.min;
  else minCount = Math.ceil(size.min / part.max);
  const result = addRanges(multiplyRanges({ min: minCount, max: maxCount }, by), {
    min: minKept,
    max: maxKept,
  });
  return { cost: scaleRange(size, 2 * textFactor), size: result };
};

const split: Estimate = (target, args) => {
  const size = sizeOf(target);
  const limit = args[1]?.integer;
  const most = limit === undefined ? size.max : limit < 0n ? unlimited : Number(limit);
  return { cost: scaleRange(size, 2 * textFactor), size: { min: 0, max: most } };
};

const join: Estimate = (target, args) => {
  const list = sizeOf(target);
  let size = multiplyRanges(list, target?.itemSize ?? unknownSize);
  const [separator] = args;
  if (separator) {
    const between = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
    size = addRanges(size, multiplyRanges(sizeOf(separator), between));
  }
  return { cost: scaleRange(size, textFactor), size };
};

const find: Estimate = (target, args, id) => {
  const cost = pattern(target, args, id)?.cost;
  return cost && { cost, size: { min: 0, max: sizeOf(target).max } };
};

const addressBytes: CostRange = { min: 4, max: 16 };
const containsAddress =
  (isNetwork: boolean): Estimate =>
  (_, args, id) => {
    let cost = scaleRange(addRanges(addressBytes, addressBytes), textFactor);
    if (isNetwork) cost = addRanges(addRanges(cost, scaleRange(addressBytes, textFactor)), exactly(1));
    if (id.endsWith("_string")) cost = addRanges(cost, scaleRange(sizeOf(args[0]), textFactor));
    return { cost };
  };

const validate: Estimate = (_, args) => ({
  cost: scaleRange(scaleRange(sizeOf(args[0]), textFactor), 128 * patternFactor),
});

/** Cost of comparing opaque values. */
const equalOpaque: Estimate = (_, [a, b]) => {
  if (!a || !b || !isSameType(a.type, b.type)) return undefined;
  switch (a.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
      return one;
    case "kubernetes.NamedFormat":
      return { cost: scaleRange({ min: 1, max: 64 }, textFactor) };
    case "kubernetes.URL":
      return { cost: scaleRange({ min: 1, max: b.size?.max ?? 1 }, textFactor) };
    default:
      return undefined;
  }
};

const addresses = ["masked", "prefixLength", "family", "isUnspecified", "isLoopback"];
const linkAddresses = ["isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"];
const quantities = ["sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan"];
const quantityActs = ["compareTo", "add", "sub"];
const urlParts = ["getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"];

/** Kubernetes' estimates for its functions, by name. */
const byName = new Map<string, Estimate>([
  ...each(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"], perElement),
  ...each(["url", "lowerAscii", "upperAscii", "substring", "trim"], sameText),
  ["replace", replace],
  ["split", split],
  ["join", join],
  ...each(["find", "findAll"], find),
  ...each(["cidr", "isIP", "isCIDR", "quantity", "isQuantity"], parsing),
  ["ip", (target, args) => (args.length > 0 ? parsing(target, args, "") : one)],
  ["ip.isCanonical", (_, args) => ({ cost: scaleRange(sizeOf(args[0]), 2 * textFactor) })],
  ...each([...addresses, ...linkAddresses, ...quantities, ...quantityActs, ...urlParts], constant),
  ["format.named", constant],
  ["containsIP", containsAddress(false)],
  ["containsCIDR", containsAddress(true)],
  ["validate", validate],
  ["_==_", equalOpaque],
]);

const sets =
  (factor: number): Estimate =>
  (_, [a, b]) => ({ cost: addRanges(scaleRange(multiplyRanges(sizeOf(a), sizeOf(b)), factor), exactly(1)) });

const addText: Estimate = (_, [a, b]) => {
  const size = addRanges(sizeOf(a), sizeOf(b));
  return { cost: scaleRange(size, textFactor), size };
};

const compare: Estimate = (_, [a, b]) => {
  const most = Math.min(sizeOf(a).max, sizeOf(b).max);
  return { cost: scaleRange({ min: most > 0 ? 1 : 0, max: most }, textFactor) };
};

const perCharacter: Estimate = (_, args) => ({ cost: scaleRange(sizeOf(args[0]), textFactor) });

/** cel-go's estimates, by overload. */
const byId = new Map<string, Estimate>([
  ["string_format", (target) => ({ cost: scaleRange(sizeOf(target), textFactor) })],
  [
    "string_to_bytes",
    (_, [text]) => ({
      cost: scaleRange(sizeOf(text), textFactor),
      size: { min: sizeOf(text).min, max: sizeOf(text).max * 4 },
    }),
  ],
  [
    "bytes_to_string",
    (_, [bytes]) => ({
      cost: scaleRange(sizeOf(bytes), textFactor),
      size: { min: Math.floor(sizeOf(bytes).min / 4), max: sizeOf(bytes).max },
    }),
  ],
  [
    "strings_quote",
    (_, [text]) => ({
      cost: scaleRange(sizeOf(text), textFactor),
      size: { min: sizeOf(text).min + 2, max: sizeOf(text).max * 2 + 2 },
    }),
  ],
  ["starts_with_string", perCharacter],
  ["ends_with_string", perCharacter],
  ["in_list", (_, [, list]) => ({ cost: sizeOf(list) })],
  ["matches_string", pattern],
  [
    "contains_string",
    (target, [part]) => ({
      cost: multiplyRanges(scaleRange(sizeOf(target), textFactor), scaleRange(sizeOf(part), textFactor)),
    }),
  ],
  ["add_string", addText],
  ["add_bytes", addText],
  ["add_list", (_, [a, b]) => ({ cost: exactly(1), size: addRanges(sizeOf(a), sizeOf(b)) })],
  ...each(
    ["less", "less_equals", "greater", "greater_equals"].flatMap((name) => [
      `${name}_string`,
      `${name}_bytes`,
    ]),
    compare,
  ),
  ["equals", compare],
  ["not_equals", compare],
  ["list_sets_contains_list", sets(1)],
  ["list_sets_intersects_list", sets(1)],
  ["list_sets_equivalent_list", sets(2)],
]);

function each(names: readonly string[], estimate: Estimate): [string, Estimate][] {
  return names.map((name) => [name, estimate]);
}

/** Estimates the cost of one overload, without its arguments. */
export function estimateCall(
  name: string,
  id: string,
  target: Argument | undefined,
  args: readonly Argument[],
): CallEstimate {
  if (id.startsWith("list_sets_")) return byId.get(id)?.(target, args, id) ?? one;
  return byName.get(name)?.(target, args, id) ?? byId.get(id)?.(target, args, id) ?? one;
}
