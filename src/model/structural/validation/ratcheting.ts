import type { CorrelatedValue } from "../../cel/rules/validate-rules.js";
import { getOwn, isJsonArray, isJsonObject, type Json, jsonEqual } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { entryNode, fieldNode, itemNode, type CompiledNode } from "../compiled-node.js";

/** Correlates a value with its old version. */
export function correlate(node: CompiledNode, value: Json, old: Json): CorrelatedValue {
  const keys = new Map<string, CorrelatedValue | undefined>();
  const items: (CorrelatedValue | undefined)[] = [];
  let oldItems: ReadonlyMap<string, Json> | undefined;
  let unchanged: boolean | undefined;

  const correlateKey = (name: string): CorrelatedValue | undefined => {
    const child = fieldNode(node, name) ?? entryNode(node);
    if (!child || !isJsonObject(value) || !isJsonObject(old)) return undefined;
    const [now, before] = [getOwn(value, name), getOwn(old, name)];
    return now === undefined || before === undefined ? undefined : correlate(child, now, before);
  };

  const correlateItem = (index: number): CorrelatedValue | undefined => {
    const child = itemNode(node);
    if (!child || !isKeyedList(node) || !isJsonArray(value) || !isJsonArray(old)) return undefined;
    const item = value[index];
    const key = item === undefined ? undefined : itemKey(node, item);
    if (item === undefined || key === undefined) return undefined;
    oldItems ??= indexItems(node, old);
    const before = oldItems.get(key);
    return before === undefined ? undefined : correlate(child, item, before);
  };

  const self: CorrelatedValue = {
    key(name) {
      if (!keys.has(name)) keys.set(name, correlateKey(name));
      return keys.get(name);
    },
    item: (index) => (items[index] ??= correlateItem(index)),
    isUnchanged: () => (unchanged ??= isSameValue(node, value, old, self)),
  };
  return self;
}

/** Undeclared fields cannot be correlated, so values with such fields count as changed. */
function isSameValue(node: CompiledNode, value: Json, old: Json, correlation: CorrelatedValue): boolean {
  if (isJsonArray(value) && isJsonArray(old)) {
    if (value.length !== old.length) return false;
    if (!isKeyedList(node)) return jsonEqual(value, old);
    return value.every((_, index) => correlation.item(index)?.isUnchanged() === true);
  }
  if (isJsonObject(value) && isJsonObject(old)) {
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => correlation.key(name)?.isUnchanged() === true);
  }
  return jsonEqual(value, old);
}

const skippable = new WeakMap<StructuralSchema, boolean>();

/**
 * True if identical values of a schema count as unchanged, so that they can be skipped. Not so if there may
 * be undeclared fields, or items that cannot be identified by keys.
 */
export function isSkippable(schema: StructuralSchema): boolean {
  const cached = skippable.get(schema);
  if (cached !== undefined) return cached;
  // Recursive schemas are not skipped.
  skippable.set(schema, false);
  const { properties = {}, additionalProperties, items } = schema;
  const result =
    schema["x-kubernetes-preserve-unknown-fields"] !== true &&
    schema["x-kubernetes-embedded-resource"] !== true &&
    schema["x-kubernetes-list-type"] !== "map" &&
    typeof additionalProperties !== "boolean" &&
    (additionalProperties === undefined || isSkippable(additionalProperties)) &&
    (items === undefined || isSkippable(items)) &&
    Object.values(properties).every(isSkippable);
  skippable.set(schema, result);
  return result;
}

export function isKeyedList({ schema }: CompiledNode): boolean {
  return schema["x-kubernetes-list-type"] === "map";
}

/** Old items by key; of several with the same key, the first. */
function indexItems(node: CompiledNode, items: readonly Json[]): ReadonlyMap<string, Json> {
  const index = new Map<string, Json>();
  for (const item of items) {
    const key = itemKey(node, item);
    if (key !== undefined && !index.has(key)) index.set(key, item);
  }
  return index;
}

/** Key of an item as a string; undefined if a key field is missing or not a scalar. */
function itemKey({ schema }: CompiledNode, item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values: Json[] = [];
  for (const name of schema["x-kubernetes-list-map-keys"] ?? []) {
    const value = getOwn(item, name);
    if (value === undefined || typeof value === "object") return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : JSON.stringify(values);
}
