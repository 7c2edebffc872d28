import { isJsonArray, isJsonObject, type Json, type MutableObject, setOwn } from "../object/json.js";
import { isObjectMetaField, pruneObjectMeta } from "./object-meta.js";
import { isMetaField, pruneValue } from "./pruning.js";
import { entryNode, fieldNode, hasDefault, itemNode, type CompiledNode } from "./compiled-node.js";

/** Fills in defaults of a whole object, in place. With `implicitMeta`, its metadata is left alone. */
export function applyDefaults(node: CompiledNode, object: MutableObject, implicitMeta: boolean): void {
  fillObject(node, object, implicitMeta);
}

function fillValue(node: CompiledNode, value: Json, isMetadata = false): void {
  if (Object.isFrozen(value)) return;
  if (isJsonArray(value)) fillList(node, value as Json[]);
  else if (isJsonObject(value)) fillObject(node, value, false, isMetadata);
}

/** Nulls in a list stay unless there is a default: removing them would shift the others. */
function fillList(node: CompiledNode, list: Json[]): void {
  const items = itemNode(node);
  if (!items) return;
  for (let index = 0; index < list.length; index++) {
    if (list[index] === null && !items.nullable && hasDefault(items.schema)) list[index] = defaultOf(items);
    fillValue(items, list[index] ?? null);
  }
}

/** `isMetadata`: the object is the metadata of an embedded resource, and only gets fields that metadata has. */
function fillObject(
  node: CompiledNode,
  object: MutableObject,
  implicitMeta: boolean,
  isMetadata = false,
): void {
  for (const key in object) {
    if (implicitMeta && isMetaField(key)) continue;
    const child = fieldNode(node, key) ?? entryNode(node);
    if (!child) continue;
    let value = object[key] ?? null;
    if (value === null && !child.nullable) {
      // The deleted field must not be read again: without an own field, `__proto__` is Object.prototype.
      if (!hasDefault(child.schema)) {
        delete object[key];
        continue;
      }
      value = defaultOf(child);
      setOwn(object, key, value);
    }
    fillValue(child, value, node.embedded && key === "metadata");
  }
  for (const name of node.defaulted) {
    if ((implicitMeta && isMetaField(name)) || (isMetadata && !isObjectMetaField(name))) continue;
    if (Object.hasOwn(object, name) && object[name] !== undefined) continue;
    const child = fieldNode(node, name);
    if (!child) continue;
    const value = defaultOf(child);
    const ofResource = node.embedded && name === "metadata";
    if (ofResource) pruneObjectMeta(value, name);
    fillValue(child, value, ofResource);
    setOwn(object, name, value);
  }
}

/** Copies the default of a node, pruned by the node. */
function defaultOf(node: CompiledNode): Json {
  if (node.preparedDefault === undefined) {
    const value = copyJson(node.schema.default ?? null);
    pruneValue(node, value);
    node.preparedDefault = value;
  }
  return copyJson(node.preparedDefault);
}

function copyJson(value: Json): Json {
  if (isJsonArray(value)) return value.map(copyJson);
  if (!isJsonObject(value)) return value;
  const copy: MutableObject = {};
  for (const [key, part] of Object.entries(value)) setOwn(copy, key, copyJson(part));
  return copy;
}
