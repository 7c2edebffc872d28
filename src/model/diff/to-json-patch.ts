import type { Json } from "../object/json.js";
import type { JsonPatchOperation } from "../patch/json-patch-operation.js";
import { formatJsonPointer } from "../patch/json-pointer.js";
import { type FieldChange, diff, type DiffOptions } from "./changes.js";

/** Converts changes to an RFC 6902 patch. */
export function toJsonPatch(changes: readonly FieldChange[]): JsonPatchOperation[] {
  return changes.map(toOperation);
}

function toOperation(change: FieldChange): JsonPatchOperation {
  const path = formatJsonPointer(change.path);
  if (change.kind === "remove") return { op: "remove", path };
  return { op: change.kind === "add" ? "add" : "replace", path, value: change.to };
}

/**
 * Creates the RFC 6902 patch that turns one document into another; empty if they are equal.
 *
 * @example
 * jsonPatchOf({ replicas: 1 }, { replicas: 3 }); // [{ op: "replace", path: "/replicas", value: 3 }]
 */
export function jsonPatchOf(from: Json, to: Json, options: DiffOptions = {}): JsonPatchOperation[] {
  return toJsonPatch(diff(from, to, options));
}
