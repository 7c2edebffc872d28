import { isJsonArray, type Json, type JsonArray } from "../../object/json.js";

/** Positions of the second occurrence of each duplicate. Kubernetes does not report further ones. */
export function duplicatePositions(items: JsonArray): number[] {
  if (items.length < 2) return [];
  const times = new Map<Json, number>();
  const repeated: number[] = [];
  for (const [index, item] of items.entries()) {
    const key = typeof item === "object" && item !== null ? containerKey(item) : plainKey(item);
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    if (count === 2) repeated.push(index);
  }
  return repeated;
}

/** Key of a scalar; strings are prefixed so that none equals a serialised container. */
function plainKey(value: Json): Json {
  return typeof value === "string" ? `"${value}` : value;
}

/** Serialises a list or an object so that equal values have equal strings. */
function containerKey(value: Json): string {
  if (isJsonArray(value) && value.every((item) => typeof item !== "object")) return JSON.stringify(value);
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
