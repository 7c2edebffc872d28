import { failures } from "../../../model/core.js";
import type { Json } from "../../../model/object/json.js";
import type { StructType, ValueType } from "../idl/type-definition.js";
import { alternativeFor } from "./check-types.js";
import { deepest } from "./depth.js";

/**
 * Removes unknown fields from an object, in place, and returns their paths as strict decoding reports them
 * (`spec.versions[0].foo`). Follows recursive types, unlike schemas. As in Kubernetes, unknown fields inside a union
 * (`items`, `additionalProperties`) are removed without being reported.
 */
export function removeUnknownFields(struct: StructType, object: object): string[] {
  const paths: string[] = [];
  pruneStruct(object as { [key: string]: Json }, struct, "", paths, 0);
  return paths;
}

function pruneStruct(
  object: { [key: string]: Json },
  struct: StructType,
  path: string,
  paths: string[] | undefined,
  depth: number,
): void {
  if (depth > deepest) throw failures.badRequest(`${struct.name} is nested too deeply`);
  for (const [name, value] of Object.entries(object)) {
    const at = path === "" ? name : `${path}.${name}`;
    const field = struct.byName.get(name);
    if (field) pruneValue(value, field.type, at, paths, depth);
    else if (!(struct.kind && (name === "apiVersion" || name === "kind"))) {
      delete object[name];
      paths?.push(at);
    }
  }
}

function pruneValue(
  value: Json,
  type: ValueType,
  path: string,
  paths: string[] | undefined,
  depth: number,
): void {
  if (typeof value !== "object" || value === null || type.of === "scalar") return;
  if (type.of === "struct") {
    if (type.struct.union) {
      const alternative = alternativeFor(value, type.struct);
      if (alternative) pruneValue(value, alternative, path, undefined, depth);
    } else if (!Array.isArray(value)) {
      pruneStruct(value as { [key: string]: Json }, type.struct, path, paths, depth + 1);
    }
    return;
  }
  if ((type.of === "list" ? type.item : type.value).of === "scalar") return;
  if (type.of === "list") {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      pruneValue(item as Json, type.item, `${path}[${index}]`, paths, depth);
    }
    return;
  }
  if (Array.isArray(value)) return;
  for (const [key, item] of Object.entries(value)) {
    pruneValue(item, type.value, `${path}.${key}`, paths, depth);
  }
}
