import { getOwn, isJsonArray, isJsonObject, type Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";

/** Finds the old version of a list item: only for lists with keys. */
export function oldItemsOf(
  schema: StructuralSchema,
  old: Json | undefined,
): (item: Json) => Json | undefined {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (
    schema["x-kubernetes-list-type"] !== "map" ||
    keys.length === 0 ||
    old === undefined ||
    !isJsonArray(old)
  ) {
    return () => undefined;
  }
  const items = new Map<string, Json>();
  for (const item of old) {
    const key = itemKey(item, keys);
    if (key !== undefined && !items.has(key)) items.set(key, item);
  }
  return (item) => {
    const key = itemKey(item, keys);
    return key === undefined ? undefined : items.get(key);
  };
}

function itemKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  return JSON.stringify(keys.map((key) => getOwn(item, key) ?? null));
}
