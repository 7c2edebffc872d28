import { getOwn, isJsonArray, isJsonObject, type Json, type JsonArray, jsonEqual } from "../object/json.js";
import { numberItems } from "./item-number.js";
import { commonSubsequence, type Match, risingSubsequence } from "./sequence.js";

/** Outcome for one item: kept (maybe at another position, maybe changed inside), removed or added. */
export type AlignedItem =
  | { readonly kind: "kept"; readonly from: number; readonly to: number; readonly equal: boolean }
  | { readonly kind: "removed"; readonly from: number }
  | { readonly kind: "added"; readonly to: number };

/** Fields that identify items of a list, most reliable first. */
const keyFields = [
  "uid",
  "name",
  "key",
  "type",
  "id",
  "mountPath",
  "containerPort",
  "port",
  "ip",
  "topologyKey",
];

/**
 * Beyond this many edits, lists are compared position by position: the cost grows with the square of the
 * edits.
 */
const maxEdits = 1000;
/** Beyond this many candidate pairs between two kept items, changed items are paired in order. */
const maxPairs = 2500;

/**
 * Finds the field that identifies the items of both lists: every item is an object that has it, with a string
 * or number that is unique in its list.
 */
export function itemKeyField(from: JsonArray, to: JsonArray): string | undefined {
  if (from.length + to.length === 0) return undefined;
  return keyFields.find((field) => isUniqueField(from, field) && isUniqueField(to, field));
}

function isUniqueField(list: JsonArray, field: string): boolean {
  const seen = new Set<Json>();
  for (const item of list) {
    const value = isJsonObject(item) ? getOwn(item, field) : undefined;
    if ((typeof value !== "string" && typeof value !== "number") || seen.has(value)) return false;
    seen.add(value);
  }
  return true;
}

/**
 * Aligns the items of two lists. The result keeps the order of both: a kept item follows everything before it
 * in either list, and removed items precede those added in their place.
 */
export function align(from: JsonArray, to: JsonArray, key: string | undefined): AlignedItem[] {
  if (key !== undefined) return fillGaps(from, to, matchByKey(from, to, key), () => [], false);
  const [fromNumbers, toNumbers] = numberItems(from, to);
  const matches = commonSubsequence(fromNumbers, toNumbers, maxEdits);
  if (matches !== undefined) return fillGaps(from, to, matches, pairSimilar, true);
  return fillGaps(from, to, byPosition(from.length, to.length), () => [], false);
}

function matchByKey(from: JsonArray, to: JsonArray, key: string): Match[] {
  const keyValue = (item: Json | undefined): Json | undefined =>
    isJsonObject(item) ? getOwn(item, key) : undefined;
  const positions = new Map(to.map((item, index) => [keyValue(item), index]));
  const targets = from.map((item) => positions.get(keyValue(item)) ?? -1);
  // A moved item counts as removed and added; the longest rising subsequence keeps their number minimal.
  return risingSubsequence(targets).map((position) => [position, targets[position] ?? -1]);
}

function byPosition(fromLength: number, toLength: number): Match[] {
  return Array.from({ length: Math.min(fromLength, toLength) }, (_, index) => [index, index]);
}

type Pairing = (from: JsonArray, to: JsonArray) => Match[];

/**
 * Fills the gaps between matched items with removals, additions and the pairs that `pairing` finds among
 * them.
 */
function fillGaps(
  from: JsonArray,
  to: JsonArray,
  matches: readonly Match[],
  pairing: Pairing,
  equal: boolean,
): AlignedItem[] {
  const aligned: AlignedItem[] = [];
  let fromNext = 0;
  let toNext = 0;
  const advance = (fromEnd: number, toEnd: number): void => {
    while (fromNext < fromEnd) aligned.push({ kind: "removed", from: fromNext++ });
    while (toNext < toEnd) aligned.push({ kind: "added", to: toNext++ });
  };
  const keep = (match: Match, equal: boolean): void => {
    advance(match[0], match[1]);
    aligned.push({ kind: "kept", from: fromNext++, to: toNext++, equal });
  };
  const gap = (fromEnd: number, toEnd: number): void => {
    if (fromNext < fromEnd && toNext < toEnd) {
      const [fromStart, toStart] = [fromNext, toNext];
      for (const [a, b] of pairing(from.slice(fromStart, fromEnd), to.slice(toStart, toEnd))) {
        keep([fromStart + a, toStart + b], false);
      }
    }
    advance(fromEnd, toEnd);
  };
  for (const match of matches) {
    gap(match[0], match[1]);
    keep(match, equal);
  }
  gap(from.length, to.length);
  return aligned;
}

/** Pairs removed and added items that look like versions of the same thing, in rising order. */
function pairSimilar(from: JsonArray, to: JsonArray): Match[] {
  if (from.length * to.length > maxPairs || (from.length === 1 && to.length === 1)) {
    return byPosition(from.length, to.length).filter(([a, b]) => similarity(from[a], to[b]) > 0);
  }
  // At [a * width + b]: the similarity of items a and b, and the best total similarity of pairs from a and b
  // on.
  const width = to.length + 1;
  const similarities = new Float64Array((from.length + 1) * width);
  const best = new Float64Array((from.length + 1) * width);
  const at = (table: Float64Array, a: number, b: number): number => table[a * width + b] ?? 0;
  for (let a = from.length - 1; a >= 0; a--) {
    for (let b = to.length - 1; b >= 0; b--) {
      const score = similarity(from[a], to[b]);
      const paired = score > 0 ? score + at(best, a + 1, b + 1) : 0;
      similarities[a * width + b] = score;
      best[a * width + b] = Math.max(paired, at(best, a + 1, b), at(best, a, b + 1));
    }
  }
  const pairs: Match[] = [];
  let a = 0;
  let b = 0;
  while (a < from.length && b < to.length) {
    const score = at(similarities, a, b);
    if (score > 0 && at(best, a, b) === score + at(best, a + 1, b + 1)) pairs.push([a++, b++]);
    else if (at(best, a, b) === at(best, a + 1, b)) a++;
    else b++;
  }
  return pairs;
}

/** Similarity of two different items; 0 if they have nothing in common. */
function similarity(from: Json | undefined, to: Json | undefined): number {
  if (isJsonArray(from)) return isJsonArray(to) ? 0.1 : 0;
  if (!isJsonObject(from)) return typeof to === "object" && to !== null ? 0 : 0.1;
  if (!isJsonObject(to)) return 0;
  const keys = Object.keys(from);
  let total = 0;
  for (const key of keys) {
    const before = getOwn(from, key);
    const after = getOwn(to, key);
    if (before === undefined || after === undefined) continue;
    total += jsonEqual(before, after) ? 1 : 0.25;
  }
  return total / Math.max(1, keys.length, Object.keys(to).length);
}
