import { isJsonObject, type Json, type JsonObject } from "../object/json.js";
import type { KubeObject } from "../object/object.js";
import { type MutableObject, setOwn } from "../patch/own-property.js";
import type { StructuralSchema } from "../schema/structural-schema.js";

/**
 * A built-in kind's object before anything is set, as Kubernetes has it: such objects are structs, and some of their
 * fields are always there. Whoever creates one does not add those, and so does not own `spec`, only what is in it.
 *
 * The schema tells them by their defaults: `{}` for a struct in a struct; and what is required but not set is there as
 * the zero of its type. (For custom resources nothing is always there.)
 */
export function emptyObject(schema: StructuralSchema, apiVersion: string, kind: string): KubeObject {
  const fields = zeroFields(schema, 0);
  return { ...fields, apiVersion, kind, metadata: {} };
}

/** Schemas of built-in kinds may be cyclic, but no struct holds itself. */
const deepest = 32;

function zeroFields({ properties = {}, required = [] }: StructuralSchema, depth: number): JsonObject {
  const fields: MutableObject = {};
  if (depth > deepest) return fields;
  for (const [name, schema] of Object.entries(properties)) {
    const isStruct = isJsonObject(schema.default) && schema.properties !== undefined;
    if (isStruct) setOwn(fields, name, zeroFields(schema, depth + 1));
    else if (required.includes(name)) setOwn(fields, name, zero(schema));
  }
  return fields;
}

function zero({ type, format }: StructuralSchema): Json {
  if (type === "integer" || type === "number") return 0;
  if (type === "boolean") return false;
  return type === "string" && format === undefined ? "" : null;
}
