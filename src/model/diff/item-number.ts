import { isJsonArray, type Json, type JsonArray, jsonEqual } from "../object/json.js";

/** Depth of the hash; deeper parts are left to the comparison. */
const hashDepth = 6;

/** Maximum number of items with the same hash to compare; only crafted lists reach it. */
const maxBucket = 64;

/**
 * Numbers the items of two lists. Items with the same number are equal. The reverse holds except for crafted
 * lists with many equal hashes, where some equal items get different numbers.
 */
export function numberItems(from: JsonArray, to: JsonArray): [from: number[], to: number[]] {
  const plain = new Map<Json, number>();
  const nested = new Map<number, { readonly item: Json; readonly number: number }[]>();
  let next = 0;
  const numberOf = (item: Json): number => {
    if (typeof item !== "object" || item === null) {
      const existing = plain.get(item) ?? next++;
      plain.set(item, existing);
      return existing;
    }
    const hash = hashOf(item, hashDepth);
    const bucket = nested.get(hash) ?? [];
    const existing = bucket.find((other) => jsonEqual(other.item, item));
    if (existing !== undefined) return existing.number;
    if (bucket.length < maxBucket) bucket.push({ item, number: next });
    nested.set(hash, bucket);
    return next++;
  };
  return [from.map(numberOf), to.map(numberOf)];
}

/** Equal for equal values, regardless of the order of fields. */
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
