import { isJsonArray, isJsonObject, type Json, type MutableObject, setOwn } from "../object/json.js";
import { maxReportedErrors } from "./max-reported-errors.js";
import { pruneObjectMeta } from "./object-meta.js";
import { PathStack } from "../object/path-stack.js";
import { entryNode, fieldNode, itemNode, type CompiledNode } from "./compiled-node.js";

/** Fields removed so far. */
interface Removed {
  readonly path: PathStack;
  readonly fields: string[];
  /** Fields removed from the metadata of embedded resources. */
  readonly metadata: string[];
}

/** Removes fields that a node does not declare, in place, and returns their paths. */
export function pruneValue(node: CompiledNode, value: Json): string[] {
  const removed: Removed = { path: new PathStack(), fields: [], metadata: [] };
  prune(node, value, removed);
  return [...removed.fields.sort(), ...removed.metadata.sort()];
}

/** Prunes a whole object, whose apiVersion, kind and metadata have the form that every object has. */
export function pruneRoot(node: CompiledNode, object: MutableObject): string[] {
  const removed: Removed = { path: new PathStack(), fields: [], metadata: [] };
  pruneObject(node, object, true, removed);
  return [...pruneMetadata(object, ""), ...removed.fields.sort(), ...removed.metadata.sort()];
}

/** True for the fields that every object has. */
export function isMetaField(name: string): boolean {
  return name === "metadata" || name === "apiVersion" || name === "kind";
}

/** `node` is undefined below values that are allowed but not declared: objects there lose all fields. */
function prune(node: CompiledNode | undefined, value: Json, removed: Removed): void {
  if (Object.isFrozen(value)) return;
  if (isJsonArray(value)) pruneItems(node && itemNode(node), value, node?.preserves === true, removed);
  else if (isJsonObject(value)) {
    if (node) pruneObject(node, value, node.embedded, removed);
    else for (const key of Object.keys(value)) remove(value, key, removed);
  }
}

/** Items of a list that preserves unknown fields preserve them as well. */
function keep(node: CompiledNode | undefined, value: Json, removed: Removed): void {
  if (!node || Object.isFrozen(value)) return;
  if (isJsonArray(value)) pruneItems(itemNode(node), value, true, removed);
  else if (isJsonObject(value)) pruneObject(node, value, node.embedded, removed, true);
}

function pruneItems(
  items: CompiledNode | undefined,
  list: readonly Json[],
  preserves: boolean,
  removed: Removed,
): void {
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== "object" || item === null) continue;
    removed.path.enterItem(index);
    if (preserves) keep(items, item, removed);
    else prune(items, item, removed);
    removed.path.leave();
  }
}

function pruneObject(
  node: CompiledNode,
  object: MutableObject,
  isResource: boolean,
  removed: Removed,
  preserves = node.preserves,
): void {
  const { path } = removed;
  if (node.embedded) {
    const unknown = pruneMetadata(object, path.bracketed());
    if (removed.metadata.length < maxReportedErrors) removed.metadata.push(...unknown);
  }
  for (const key in object) {
    if (isResource && isMetaField(key)) continue;
    const field = fieldNode(node, key);
    if (!field && node.schema.additionalProperties === undefined) {
      if (!preserves) remove(object, key, removed);
      continue;
    }
    const value = object[key];
    if (typeof value !== "object" || value === null) continue;
    if (field) path.enterField(key);
    else path.enterKey(key);
    prune(field ?? entryNode(node), value, removed);
    path.leave();
  }
}

function remove(object: MutableObject, key: string, { path, fields }: Removed): void {
  if (fields.length < maxReportedErrors) {
    path.enterField(key);
    fields.push(path.dotted());
    path.leave();
  }
  delete object[key];
}

function pruneMetadata(object: MutableObject, path: string): string[] {
  if (!Object.hasOwn(object, "metadata")) return [];
  if (object["metadata"] === null) setOwn(object, "metadata", {});
  return pruneObjectMeta(object["metadata"] ?? null, path === "" ? "metadata" : `${path}.metadata`);
}
