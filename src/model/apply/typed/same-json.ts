import { type Json, jsonEqual, type JsonObject } from "../../object/json.js";
import { asList } from "./shape.js";

/** How deep values are compared by recursion, which is faster; below it with `jsonEqual`, which knows no depth. */
const shallow = 64;

/** Whether two values are the same as JSON. */
export function isSameJson(left: Json, right: Json, depth = 0): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (depth > shallow) return jsonEqual(left, right);
  const items = asList(left);
  const others = asList(right);
  if (items === undefined || others === undefined) {
    return items === others && haveSameFields(left as JsonObject, right as JsonObject, depth + 1);
  }
  if (items.length !== others.length) return false;
  for (let index = 0; index < items.length; index++) {
    if (!isSameJson(items[index] ?? null, others[index] ?? null, depth + 1)) return false;
  }
  return true;
}

function haveSameFields(left: JsonObject, right: JsonObject, depth: number): boolean {
  let more = 0;
  for (const name in left) {
    const ours = left[name];
    const theirs = right[name];
    more++;
    if (ours === theirs && ours !== undefined) continue;
    if (!Object.hasOwn(right, name) || !isSameJson(ours ?? null, theirs ?? null, depth)) return false;
  }
  for (const _ in right) more--;
  return more === 0;
}
