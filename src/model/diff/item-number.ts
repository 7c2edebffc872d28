import { isJsonArray, type Json, type JsonArray, jsonEqual } from "../object/json.js";

/** How far down an item is looked at for its hash; what lies below is left to the comparison. */
const hashDepth = 6;

/** Most items with one hash that are compared with each other; only made-up lists come near. */
const maxBucket = 64;

/**
 * Gives every item of two lists a number. Items with the same number are equal; the reverse holds except for
 * lists that were made to have many items with the same hash, where some are taken as different.
 */
export function numberItems(from: JsonArray, to: JsonArray): [from: number[], to: number[]] {
  const plain = new Map<Json, number>();
  const nested = new Map<number, { readonly item: Json; readonly number: number }[]>();
  let next = 0;
  const numberOf = (item: Json): number => {
    if (typeof item !== "object" || item === null) {
      const known = plain.get(item) ?? next++;
      plain.set(item, known);
      return known;
    }
    const hash = hashOf(item, hashDepth);
    const bucket = nested.get(hash) ?? [];
    const known = bucket.find((other) => jsonEqual(other.item, item));
    if (known !== undefined) return known.number;
    if (bucket.length < maxBucket) bucket.push({ item, number: next });
    nested.set(hash, bucket);
    return next++;
  };
  return [from.map(numberOf), to.map(numberOf)];
}

/** The same for equal values, whatever the order of their fields. */
function hashOf(value: Json, depth: number): number {
  if (typeof value === "string") return hashText(value);
  if (typeof value !== "object" || value === null) return hashText(String(value)) ^ 0x5bd1e995;
  if (depth === 0) return 0;
  if (isJsonArray(value)) {
    let hash = value.length;
    for (const item of value) hash = Math.imul(hash, 31) + hashOf(item, depth - 1);
    return hash | 0;
  }
  let hash = 17;
  for (const [key, field] of Object.entries(value)) {
    hash = (hash + Math.imul(hashText(key), hashOf(field, depth - 1) | 1)) | 0;
  }
  return hash;
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
