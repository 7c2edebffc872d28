import type { Json } from "../../object/json.js";

/** Copies a value as JSON, without undefined members; undefined if it is not JSON. */
export function asJson(value: unknown): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object") return undefined;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const json = asJson(item);
      if (json === undefined) return undefined;
      items.push(json);
    }
    return items;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const json = asJson(member);
    if (json === undefined) return undefined;
    members.push([key, json]);
  }
  return Object.fromEntries(members);
}
