import type { Json, KubeObject } from "../../../model/core.js";
import type { FieldDefinition, Scalar, StructType, ValueType } from "../idl/type-definition.js";
import { zeroScalars } from "./normalize.js";

/**
 * Object of a built-in kind before anything is set. Kubernetes decodes such objects into structs, some of whose fields
 * always exist; a manager that creates an object does not own those, only the fields below them.
 */
export function blankObject(struct: StructType): KubeObject {
  const { apiVersion } = struct.group;
  return { ...blankStruct(struct), apiVersion, kind: struct.name, metadata: {} };
}

/** Terminates: structs contain themselves only through lists and pointers, which are absent here. */
function blankStruct(struct: StructType): { [field: string]: Json } {
  const fields = struct.fields.filter(isAlwaysThere).map(({ name, type }) => [name, blank(type)]);
  return Object.fromEntries(fields) as { [field: string]: Json };
}

function isAlwaysThere({ presence, type }: FieldDefinition): boolean {
  if (presence === "required" || presence === "always") return true;
  return presence === "plain" && (type.of === "struct" || (type.of === "scalar" && isTime(type.scalar)));
}

function isTime(scalar: Scalar): boolean {
  return scalar === "time" || scalar === "microtime";
}

function blank(type: ValueType): Json {
  if (type.of === "struct" && !type.struct.union) return blankStruct(type.struct);
  // Go's zero value of lists, maps and byte slices is nil.
  return type.of === "scalar" && type.scalar !== "bytes" ? zeroScalars[type.scalar] : null;
}
