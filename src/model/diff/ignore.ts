import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
  type MutableObject,
  setOwn,
} from "../object/json.js";

/** Node of the tree of patterns: what is ignored at and below one level of the document. */
interface PatternNode {
  ignored: boolean;
  any: PatternNode | undefined;
  readonly named: Map<string, PatternNode>;
}

const segment = /(?:^|\.)([^.[\]"]+)|\[(\*|[0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/**
 * Removes the fields that the patterns name; returns the same value if it has none of them.
 *
 * A pattern is a dotted path, such as `metadata.managedFields`. `*` matches any field or list item
 * (`spec.containers[*].image`, `status.*.seen`). A name with special characters is quoted in brackets:
 * `metadata.annotations["example.com/touched"]`. Only fields can be ignored, not list items, because that
 * would shift the others.
 */
export function withoutIgnored(value: Json, patterns: readonly string[]): Json {
  if (patterns.length === 0) return value;
  const root = newNode();
  for (const pattern of patterns) addPattern(root, pattern);
  return prune(value, [root]);
}

function newNode(): PatternNode {
  return { ignored: false, any: undefined, named: new Map() };
}

function addPattern(root: PatternNode, pattern: string): void {
  let level = root;
  segment.lastIndex = 0;
  let end = 0;
  for (let match = segment.exec(pattern); match !== null; match = segment.exec(pattern)) {
    end = segment.lastIndex;
    const name = match[1] ?? match[2] ?? unquote(match[3], pattern);
    if (name === "*" && match[3] === undefined) {
      level = level.any ??= newNode();
    } else {
      const next = level.named.get(name) ?? newNode();
      level.named.set(name, next);
      level = next;
    }
  }
  if (end !== pattern.length || level === root) throw badPattern(pattern);
  level.ignored = true;
}

function unquote(quoted: string | undefined, pattern: string): string {
  try {
    return String(JSON.parse(quoted ?? ""));
  } catch {
    throw badPattern(pattern);
  }
}

function badPattern(pattern: string): Error {
  return new Error(
    `cannot ignore ${JSON.stringify(pattern)}: write a path such as metadata.managedFields, ` +
      `spec.containers[*].image or metadata.annotations["example.com/key"]`,
  );
}

/** Descends no deeper than the patterns. */
function prune(value: Json, levels: readonly PatternNode[]): Json {
  if (isJsonArray(value)) return pruneList(value, levels);
  return isJsonObject(value) ? pruneObject(value, levels) : value;
}

function pruneObject(object: JsonObject, levels: readonly PatternNode[]): JsonObject {
  let pruned: MutableObject | undefined;
  for (const key of namedFields(levels) ?? Object.keys(object)) {
    const field = getOwn(object, key);
    if (field === undefined) continue;
    const below = descend(levels, key);
    if (below.some((level) => level.ignored)) {
      pruned ??= { ...object };
      Reflect.deleteProperty(pruned, key);
      continue;
    }
    const next = prune(field, below);
    if (next === field) continue;
    pruned ??= { ...object };
    setOwn(pruned, key, next);
  }
  return pruned ?? object;
}

function pruneList(list: JsonArray, levels: readonly PatternNode[]): JsonArray {
  let pruned: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const below = descend(levels, String(index));
    if (below.length === 0) continue;
    const next = prune(item, below);
    if (next === item) continue;
    pruned ??= list.slice();
    pruned[index] = next;
  }
  return pruned ?? list;
}

/** Field names in the patterns; undefined if a wildcard is among them. */
function namedFields(levels: readonly PatternNode[]): Set<string> | undefined {
  if (levels.some((level) => level.any !== undefined)) return undefined;
  return new Set(levels.flatMap((level) => [...level.named.keys()]));
}

function descend(levels: readonly PatternNode[], name: string): PatternNode[] {
  const below: PatternNode[] = [];
  for (const level of levels) {
    const named = level.named.get(name);
    if (named !== undefined) below.push(named);
    if (level.any !== undefined) below.push(level.any);
  }
  return below;
}
