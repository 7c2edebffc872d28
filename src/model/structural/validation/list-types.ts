import { duplicate, type FieldError, invalid } from "../../object/field-errors.js";
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
  type MutableObject,
  setOwn,
} from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { duplicatePositions } from "./distinct-items.js";
import { maxReportedErrors } from "../max-reported-errors.js";
import { PathStack } from "../../object/path-stack.js";
import { entryNode, fieldNode, itemNode, type CompiledNode } from "../compiled-node.js";

/** True if the items of a list must be distinct. */
function isDistinctList(schema: StructuralSchema): boolean {
  const type = schema["x-kubernetes-list-type"];
  return type === "set" || type === "map";
}

/** True if the schema, or one below it, has such a list. */
function hasDistinctLists(schema: StructuralSchema): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  return (
    isDistinctList(schema) ||
    (items !== undefined && hasDistinctLists(items)) ||
    (typeof additionalProperties === "object" && hasDistinctLists(additionalProperties)) ||
    Object.values(properties).some(hasDistinctLists)
  );
}

/**
 * Reports duplicates in lists whose items or keys must be distinct. Parts that are identical in `same` are
 * skipped.
 */
export function validateListTypes(root: CompiledNode, object: Json, same?: Json): FieldError[] {
  const errors: FieldError[] = [];
  walk(root, object, same, new PathStack(), errors);
  return errors;
}

function walk(
  node: CompiledNode,
  value: Json,
  same: Json | undefined,
  path: PathStack,
  errors: FieldError[],
): void {
  if (typeof value !== "object" || value === same || errors.length >= maxReportedErrors) return;
  if (!(node.distinctLists ??= hasDistinctLists(node.schema))) return;
  if (isJsonArray(value)) {
    checkList(node, value, path, errors);
    const items = itemNode(node);
    if (!items) return;
    for (const [index, item] of value.entries()) {
      path.enterItem(index);
      walk(items, item, isJsonArray(same) ? same[index] : undefined, path, errors);
      path.leave();
    }
  } else if (isJsonObject(value)) {
    for (const key in value) {
      const field = fieldNode(node, key);
      const child = field ?? entryNode(node);
      const inner = value[key];
      if (!child || inner === undefined) continue;
      if (field) path.enterField(key);
      else path.enterKey(key);
      walk(child, inner, isJsonObject(same) ? getOwn(same, key) : undefined, path, errors);
      path.leave();
    }
  }
}

function checkList({ schema }: CompiledNode, list: JsonArray, path: PathStack, errors: FieldError[]): void {
  const at = (index: number): string => `${path.bracketed()}[${index}]`;
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      for (const index of duplicatePositions(list).slice(0, maxReportedErrors))
        errors.push(duplicate(at(index), list[index]));
      break;
    case "map": {
      const stranger = list.findIndex((item) => item !== null && !isJsonObject(item));
      if (stranger >= 0) {
        const must = "must be an object for an array of list-type map";
        errors.push(invalid(at(stranger), list[stranger], must));
        break;
      }
      if (list.length < 2) break;
      const names = schema["x-kubernetes-list-map-keys"] ?? [];
      const items = list.map((item) => (isJsonObject(item) ? item : {}));
      const repeated = duplicatePositions(items.map((item) => identityOf(item, names)));
      for (const index of repeated.slice(0, maxReportedErrors)) {
        errors.push(duplicate(at(index), keysOf(items[index] ?? {}, names)));
      }
      break;
    }
    default:
  }
}

/** Identity of an item: its keys, usually in a form that compares quickly. */
function identityOf(item: JsonObject, names: readonly string[]): Json {
  const values: Json[] = [];
  for (const name of names) {
    const value = getOwn(item, name);
    if (value === undefined || typeof value === "object") return keysOf(item, names);
    values.push(value);
  }
  return values.length === 1 ? (values[0] ?? null) : values;
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  const keys: MutableObject = {};
  for (const name of names) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(keys, name, value);
  }
  return keys;
}
