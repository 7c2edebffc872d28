import type { Json, JsonObject } from "../object/json.js";
import { JsonPointerError, parseJsonPointer } from "./json-pointer.js";
import { PatchError } from "./patch-error.js";

/** Operation of an RFC 6902 patch. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** JSON pointer and its segments. */
export interface Location {
  readonly pointer: string;
  readonly segments: readonly string[];
}

/** Validated operation with parsed pointers. */
export type ParsedOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Location; readonly value: Json }
  | { readonly op: "remove"; readonly path: Location }
  | { readonly op: "move" | "copy"; readonly from: Location; readonly path: Location };

/** Kubernetes' limit for operations. */
export const maxOperations = 10_000;

/**
 * Validates and parses a JSON patch, without a document. Members that RFC 6902 does not define are ignored,
 * as it requires.
 *
 * @throws {PatchError} of kind `malformed`, or `limit` when there are too many operations.
 */
export function parseJsonPatch(patch: unknown, limit: number = maxOperations): ParsedOperation[] {
  if (!Array.isArray(patch)) {
    throw new PatchError(
      "malformed",
      `a JSON patch must be a list of operations, got ${describeType(patch)}`,
    );
  }
  if (patch.length > limit) {
    throw new PatchError(
      "limit",
      `The allowed maximum operations in a JSON patch is ${limit}, got ${patch.length}`,
    );
  }
  return patch.map(parseOperation);
}

function parseOperation(operation: unknown, index: number): ParsedOperation {
  if (!isObject(operation)) {
    throw malformed(index, `must be an object, got ${describeType(operation)}`);
  }
  const op = Object.hasOwn(operation, "op") ? operation["op"] : undefined;
  switch (op) {
    case "add":
    case "replace":
    case "test": {
      const path = parseLocation(operation, op, "path", index);
      const value = Object.hasOwn(operation, "value") ? operation["value"] : undefined;
      if (value === undefined) throw malformed(index, `(${op}) needs a "value"`);
      return { op, path, value };
    }
    case "remove":
      return { op, path: parseLocation(operation, op, "path", index) };
    case "move":
    case "copy":
      return {
        op,
        from: parseLocation(operation, op, "from", index),
        path: parseLocation(operation, op, "path", index),
      };
    case undefined:
      throw malformed(index, `needs an "op": one of add, remove, replace, move, copy, test`);
    default: {
      const got = typeof op === "string" ? JSON.stringify(op.slice(0, 40)) : describeType(op);
      throw malformed(index, `has the unknown op ${got}: use add, remove, replace, move, copy or test`);
    }
  }
}

function parseLocation(operation: JsonObject, op: string, member: "path" | "from", index: number): Location {
  const pointer = Object.hasOwn(operation, member) ? operation[member] : undefined;
  if (pointer === undefined) throw malformed(index, `(${op}) needs a "${member}"`);
  if (typeof pointer !== "string") {
    throw malformed(index, `(${op}): "${member}" must be a JSON pointer, got ${describeType(pointer)}`);
  }
  try {
    return { pointer, segments: parseJsonPointer(pointer) };
  } catch (error) {
    if (!(error instanceof JsonPointerError)) throw error;
    throw malformed(index, `(${op}): "${member}": ${error.message}`);
  }
}

/** Members are checked one by one, so any object is accepted here. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(index: number, what: string): PatchError {
  return new PatchError("malformed", `operation ${index} ${what}`, index);
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
