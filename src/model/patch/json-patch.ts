import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  jsonEqual,
  type JsonObject,
  type MutableObject,
  setOwn,
} from "../object/json.js";
import {
  type Location,
  maxOperations,
  type ParsedOperation,
  parseJsonPatch,
} from "./json-patch-operation.js";
import { formatJsonPointer, quotePointer } from "./json-pointer.js";
import { PatchError } from "./patch-error.js";

export interface JsonPatchOptions {
  /** Limit for operations. Default: 10,000, as in Kubernetes. */
  readonly maxOperations?: number;
  /**
   * Limit for what all `copy` operations together add, in characters of JSON. Default: 3 MiB, as in
   * Kubernetes. Without it, 30 copies of a document into itself exhaust the memory.
   */
  readonly maxCopySize?: number;
}

const defaultCopySize = 3 * 1024 * 1024;

/**
 * Applies an RFC 6902 patch and returns the new document. The given one is not modified, even if an operation
 * fails; unchanged parts are shared.
 *
 * The whole patch is validated before its first operation is applied.
 *
 * @throws {PatchError} with the operation that failed, the reason and the location.
 *
 * @example
 * applyJsonPatch({ spec: { replicas: 1 } }, [
 *   { op: "test", path: "/spec/replicas", value: 1 },
 *   { op: "replace", path: "/spec/replicas", value: 3 },
 * ]); // { spec: { replicas: 3 } }
 */
export function applyJsonPatch(document: Json, patch: unknown, options: JsonPatchOptions = {}): Json {
  const steps = jsonPatchSteps(document, patch, options);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** {@link applyJsonPatch} that yields after each operation: thousands of them on a large document take long. */
export function* jsonPatchSteps(
  document: Json,
  patch: unknown,
  options: JsonPatchOptions = {},
): Generator<void, Json> {
  const operations = parseJsonPatch(patch, options.maxOperations ?? maxOperations);
  const draft: Draft = {
    document,
    owned: new Map(),
    copied: 0,
    maxCopied: options.maxCopySize ?? defaultCopySize,
  };
  for (const [index, operation] of operations.entries()) {
    apply(draft, operation, index);
    yield;
  }
  return draft.document;
}

type Container = JsonArray | JsonObject;

/** Document under modification. */
interface Draft {
  document: Json;
  /**
   * Containers created by this patch, which may be modified in place, so that thousands of operations on one
   * list copy it once. Invariant: each is reachable by one path only; `copy` disowns what it shares.
   */
  readonly owned: Map<Container, Json[] | MutableObject>;
  copied: number;
  readonly maxCopied: number;
}

/** Current operation and pointer, for error messages. */
interface OperationContext {
  readonly index: number;
  readonly op: string;
  readonly at: Location;
}

function apply(draft: Draft, operation: ParsedOperation, index: number): void {
  const { op, path } = operation;
  const step: OperationContext = { index, op, at: path };
  switch (op) {
    case "add":
      return add(draft, step, operation.value);
    case "remove":
      return remove(draft, step);
    case "replace":
      return replace(draft, step, operation.value);
    case "test":
      if (operation.value === null && isAbsentMember(draft, step)) return;
      if (jsonEqual(resolve(draft, step), operation.value)) return;
      throw operationError("test", step, "the value is not the expected one");
    case "copy": {
      const value = resolve(draft, { index, op, at: operation.from });
      share(draft, step, value);
      return add(draft, step, value);
    }
    case "move": {
      const from: OperationContext = { index, op, at: operation.from };
      const value = resolve(draft, from);
      if (operation.from.pointer === path.pointer) return;
      if (path.pointer.startsWith(`${operation.from.pointer}/`)) {
        throw operationError("path", step, `${quotePointer(operation.from.pointer)} cannot move into itself`);
      }
      remove(draft, from);
      return add(draft, step, value);
    }
  }
}

function add(draft: Draft, step: OperationContext, value: Json): void {
  const parent = writableParent(draft, step);
  if (parent === undefined) {
    draft.document = value;
    return;
  }
  const { container, key, depth } = parent;
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  if (key === "-") {
    container.push(value);
    return;
  }
  const position = listPosition(key, depth, step);
  if (position > container.length) throw outOfBounds(container, depth, step);
  container.splice(position, 0, value);
}

function remove(draft: Draft, step: OperationContext): void {
  const parent = writableParent(draft, step);
  if (parent === undefined) throw operationError("path", step, "the whole document cannot be removed");
  const { container, key, depth } = parent;
  child(container, key, depth, step);
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else Reflect.deleteProperty(container, key);
}

function replace(draft: Draft, step: OperationContext, value: Json): void {
  const parent = writableParent(draft, step);
  if (parent === undefined) {
    draft.document = value;
    return;
  }
  const { container, key, depth } = parent;
  child(container, key, depth, step);
  if (Array.isArray(container)) container[Number(key)] = value;
  else setOwn(container, key, value);
}

/**
 * The location is a member that its object does not have. A `test` for null succeeds there, as in Kubernetes: clients use it to
 * check that a field is not set. RFC 6902 requires a value; Kubernetes' other departures from it are not followed.
 */
function isAbsentMember(draft: Draft, step: OperationContext): boolean {
  const { segments, pointer } = step.at;
  const last = segments.at(-1);
  if (last === undefined) return false;
  const parent = resolve(draft, { ...step, at: { pointer, segments: segments.slice(0, -1) } });
  return isJsonObject(parent) && !Object.hasOwn(parent, last);
}

function resolve(draft: Draft, step: OperationContext): Json {
  let value = draft.document;
  for (const [depth, key] of step.at.segments.entries()) value = child(value, key, depth, step);
  return value;
}

/**
 * Container of the location, ready to be modified, and the key in it; undefined for the whole document. Every
 * container on the way that is not owned yet is replaced by a copy.
 */
function writableParent(
  draft: Draft,
  step: OperationContext,
): { container: Json[] | MutableObject; key: string; depth: number } | undefined {
  const { segments } = step.at;
  const last = segments.length - 1;
  const lastKey = segments[last];
  if (lastKey === undefined) return undefined;
  let container = makeWritable(draft, draft.document, 0, step);
  draft.document = container;
  for (const [depth, key] of segments.entries()) {
    if (depth === last) break;
    const next = makeWritable(draft, child(container, key, depth, step), depth + 1, step);
    if (Array.isArray(container)) container[Number(key)] = next;
    else setOwn(container, key, next);
    container = next;
  }
  return { container, key: lastKey, depth: last };
}

/** Returns the container if it is owned, otherwise an owned copy. */
function makeWritable(
  draft: Draft,
  value: Json,
  depth: number,
  step: OperationContext,
): Json[] | MutableObject {
  if (typeof value !== "object" || value === null) throw notContainer(value, depth, step);
  const owned = draft.owned.get(value);
  if (owned !== undefined) return owned;
  const copy = isJsonArray(value) ? value.slice() : { ...value };
  draft.owned.set(copy, copy);
  return copy;
}

function child(container: Json, key: string, depth: number, step: OperationContext): Json {
  if (typeof container !== "object" || container === null) throw notContainer(container, depth, step);
  if (isJsonArray(container)) {
    if (key === "-") {
      throw operationError(
        "path",
        step,
        `${at(step, depth)} is past the end of the list: only "add" may use "-"`,
      );
    }
    const value = container[listPosition(key, depth, step)];
    if (value === undefined) throw outOfBounds(container, depth, step);
    return value;
  }
  const value = Object.hasOwn(container, key) ? container[key] : undefined;
  if (value === undefined) throw operationError("path", step, `${at(step, depth)} does not exist`);
  return value;
}

const position = /^(?:0|[1-9][0-9]*)$/;

function listPosition(key: string, depth: number, step: OperationContext): number {
  if (position.test(key)) return Number(key);
  throw operationError(
    "path",
    step,
    `${at(step, depth)} is not a position in a list: use 0, 1, 2, … without leading zeros, or "-" to append`,
  );
}

/**
 * Counts the size of a value that will be in the document twice, and disowns its containers, so that a later
 * operation on one place does not modify the other.
 */
function share(draft: Draft, step: OperationContext, shared: Json): void {
  const containers: Container[] = [];
  const count = (value: Json | undefined): void => {
    if (typeof value === "string") draft.copied += value.length + 2;
    else if (typeof value !== "object" || value === null) draft.copied += String(value).length;
    else containers.push(value);
  };
  count(shared);
  for (let value = containers.pop(); value !== undefined; value = containers.pop()) {
    draft.owned.delete(value);
    draft.copied += 2;
    if (isJsonArray(value)) {
      for (const item of value) count(item);
      draft.copied += value.length;
    } else {
      for (const key in value) {
        draft.copied += key.length + 4;
        count(value[key]);
      }
    }
  }
  if (draft.copied <= draft.maxCopied) return;
  throw new PatchError(
    "limit",
    "Unable to complete the copy, the accumulated size increase of copy is " +
      `${draft.copied}, exceeding the limit ${draft.maxCopied}`,
    step.index,
  );
}

function operationError(kind: "path" | "test", step: OperationContext, what: string): PatchError {
  const where = `operation ${step.index} (${step.op} ${quotePointer(step.at.pointer)})`;
  return new PatchError(kind, `${where}: ${what}`, step.index);
}

function notContainer(value: Json, depth: number, step: OperationContext): PatchError {
  const what = value === null ? "null" : `a ${typeof value}`;
  return operationError("path", step, `${at(step, depth - 1)} is ${what} and has nothing inside`);
}

function outOfBounds(list: JsonArray, depth: number, step: OperationContext): PatchError {
  const length = `${list.length} ${list.length === 1 ? "item" : "items"}`;
  return operationError("path", step, `${at(step, depth)} is out of bounds: the list has ${length}`);
}

/** Renders the pointer up to a depth; -1 is the document itself. */
function at(step: OperationContext, depth: number): string {
  if (depth < 0) return "the document";
  return quotePointer(formatJsonPointer(step.at.segments.slice(0, depth + 1)));
}
