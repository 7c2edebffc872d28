import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableObject,
} from "../object/json.js";
import type { ObjectMeta } from "../object/object.js";
import { goTimeFault } from "../formats/go-time.js";
import { maxReportedErrors } from "./max-reported-errors.js";

/** Type of a metadata field, by its name in Go. */
type GoFieldType =
  | "string"
  | "types.UID"
  | "v1.ManagedFieldsOperationType"
  | "int64"
  | "bool"
  | "time"
  | "map[string]string"
  | "[]string"
  /** Any value. */
  | "any"
  | GoStruct;

/** List of Go structs. */
interface GoStruct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, GoFieldType>;
}

const ownerReference: GoStruct = {
  name: "OwnerReference",
  fields: new Map<string, GoFieldType>([
    ["apiVersion", "string"],
    ["kind", "string"],
    ["name", "string"],
    ["uid", "types.UID"],
    ["controller", "bool"],
    ["blockOwnerDeletion", "bool"],
  ]),
};

const managedFieldsEntry: GoStruct = {
  name: "ManagedFieldsEntry",
  fields: new Map<string, GoFieldType>([
    ["manager", "string"],
    ["operation", "v1.ManagedFieldsOperationType"],
    ["apiVersion", "string"],
    ["time", "time"],
    ["fieldsType", "string"],
    ["fieldsV1", "any"],
    ["subresource", "string"],
  ]),
};

const objectMeta: GoStruct = {
  name: "ObjectMeta",
  fields: new Map<string, GoFieldType>([
    ["name", "string"],
    ["generateName", "string"],
    ["namespace", "string"],
    ["selfLink", "string"],
    ["uid", "types.UID"],
    ["resourceVersion", "string"],
    ["generation", "int64"],
    ["creationTimestamp", "time"],
    ["deletionTimestamp", "time"],
    ["deletionGracePeriodSeconds", "int64"],
    ["labels", "map[string]string"],
    ["annotations", "map[string]string"],
    ["ownerReferences", ownerReference],
    ["finalizers", "[]string"],
    ["managedFields", managedFieldsEntry],
  ]),
};

/** True if metadata has a field of this name. */
export function isObjectMetaField(name: string): boolean {
  return objectMeta.fields.has(name);
}

/**
 * Removes unknown fields from metadata, and returns their paths below `path`. Empty fields are removed
 * silently, as in Kubernetes.
 */
export function pruneObjectMeta(metadata: Json, path: string): string[] {
  const unknown: string[] = [];
  if (isJsonObject(metadata)) pruneStruct(metadata, objectMeta, path, unknown);
  return unknown;
}

function pruneStruct(object: MutableObject, struct: GoStruct, path: string, unknown: string[]): void {
  if (Object.isFrozen(object)) return;
  if (hasSeveralReports(object, struct)) {
    for (const key of Object.keys(object).sort()) pruneField(object, key, struct, path, unknown);
  } else {
    for (const key in object) pruneField(object, key, struct, path, unknown);
  }
}

function pruneField(
  object: MutableObject,
  key: string,
  struct: GoStruct,
  path: string,
  unknown: string[],
): void {
  const type = struct.fields.get(key);
  const value = object[key];
  if (type === undefined) {
    if (unknown.length < maxReportedErrors) unknown.push(`${path}.${key}`);
    delete object[key];
  } else if (value === undefined || isEmpty(value, key)) {
    delete object[key];
  } else if (typeof type === "object" && isJsonArray(value) && !Object.isFrozen(value)) {
    for (const [index, item] of value.entries()) {
      if (isJsonObject(item)) pruneStruct(item, type, `${path}.${key}[${index}]`, unknown);
    }
  }
}

/** True if more than one field may be reported: then they are sorted by name. */
function hasSeveralReports(object: MutableObject, { fields }: GoStruct): boolean {
  let telling = 0;
  for (const key in object) {
    const type = fields.get(key);
    if (type === undefined || (typeof type === "object" && !Object.isFrozen(object[key]))) telling += 1;
  }
  return telling > 1;
}

function hasNoFields(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** True if a field counts as absent. A grace period of 0 and false do not. */
function isEmpty(value: Json, key: string): boolean {
  if (value === null || value === "") return true;
  if (key === "generation") return value === 0;
  if (isJsonArray(value)) return value.length === 0;
  return key !== "fieldsV1" && typeof value === "object" && hasNoFields(value);
}

/**
 * Explains why Go cannot decode metadata, with its message; undefined if it can. Parts that are identical in
 * `valid`, which Go can decode, are skipped.
 */
export function objectMetaFault(metadata: Json, valid?: ObjectMeta): string | undefined {
  if (metadata === null) return undefined;
  if (isJsonObject(metadata)) return structFault(metadata, objectMeta, "", valid as JsonObject | undefined);
  return `json: cannot unmarshal ${goKind(metadata)} into Go value of type v1.ObjectMeta`;
}

function structFault(
  object: MutableObject,
  struct: GoStruct,
  prefix: string,
  valid?: JsonObject,
): string | undefined {
  // Kubernetes reports the first error by field name.
  let first: { readonly key: string; readonly fault: string } | undefined;
  for (const key in object) {
    const type = struct.fields.get(key);
    const value = object[key];
    if (type === undefined || value === undefined || value === null) continue;
    if (valid !== undefined && value === valid[key]) continue;
    const fault = fieldFault(value, type, struct.name, `${prefix}${key}`);
    if (fault !== undefined && (first === undefined || key < first.key)) first = { key, fault };
  }
  return first?.fault;
}

/** `path` is the path from the outermost struct; `struct` is the struct with the field. */
function fieldFault(value: Json, type: GoFieldType, struct: string, path: string): string | undefined {
  const cannot = (what: Json, as: string): string =>
    `json: cannot unmarshal ${goKind(what, as)} into Go struct field ${struct}.${path} of type ${as}`;
  if (typeof type === "object") {
    if (!isJsonArray(value)) return cannot(value, `[]v1.${type.name}`);
    for (const item of value) {
      if (item === null) continue;
      const fault = isJsonObject(item)
        ? structFault(item, type, `${path}.`)
        : cannot(item, `v1.${type.name}`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  switch (type) {
    case "any":
      return undefined;
    case "int64":
      return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 63
        ? undefined
        : cannot(value, type);
    case "bool":
      return typeof value === "boolean" ? undefined : cannot(value, type);
    case "time":
      return typeof value === "string" ? goTimeFault(value) : cannot(value, "string");
    case "map[string]string": {
      if (!isJsonObject(value)) return cannot(value, type);
      const bad = Object.values(value).find((entry) => typeof entry !== "string" && entry !== null);
      return bad === undefined ? undefined : cannot(bad, "string");
    }
    case "[]string": {
      if (!isJsonArray(value)) return cannot(value, type);
      const bad = value.find((item) => typeof item !== "string" && item !== null);
      return bad === undefined ? undefined : cannot(bad, "string");
    }
    default:
      return typeof value === "string" ? undefined : cannot(value, type);
  }
}

/** Decodes valid metadata like Go: known fields only, null as empty. Frozen parts are shared. */
export function readObjectMeta(metadata: Json): ObjectMeta {
  return isJsonObject(metadata) ? readStruct(metadata, objectMeta) : {};
}

function readStruct(object: JsonObject, struct: GoStruct): JsonObject {
  const read: MutableObject = {};
  struct.fields.forEach((type, key) => {
    const value = getOwn(object, key);
    if (value === undefined || value === null) return;
    if (Object.isFrozen(value)) {
      // Scalar, or a part that was decoded before.
      read[key] = value;
    } else if (typeof type === "object" && isJsonArray(value)) {
      read[key] = value.map((item) => (isJsonObject(item) ? readStruct(item, type) : {}));
    } else if (type === "[]string" && isJsonArray(value)) {
      read[key] = value.map((item) => item ?? "");
    } else if (type === "map[string]string" && isJsonObject(value) && Object.values(value).includes(null)) {
      read[key] = Object.fromEntries(Object.entries(value).map(([name, text]) => [name, text ?? ""]));
    } else {
      read[key] = value;
    }
  });
  return read;
}

/** Go's name for a JSON type; an out-of-range number includes its value. */
function goKind(value: Json, as = ""): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return as === "int64" ? `number ${value}` : "number";
    case "boolean":
      return "bool";
    default:
      return isJsonArray(value) ? "array" : "object";
  }
}
