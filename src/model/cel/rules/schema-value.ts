import { isJsonArray, isJsonObject, type Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { type ListSemantics, SchemaList } from "../values/list.js";
import { SchemaMap } from "../values/map.js";
import { readLooseDuration, readTimestamp } from "../values/time.js";
import { CelError, CelDuration, CelTimestamp, type CelValue } from "../values/value.js";
import { withObjectMeta } from "../types/declaration.js";
import { escapeField, unescapeField } from "../types/field-names.js";

const names = { escape: escapeField, unescape: unescapeField };

/** Converts a part of an object to a CEL value, by its schema. */
export function schemaValue(json: Json, schema: StructuralSchema): CelValue {
  if (json === null) {
    return schema.nullable ? null : new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof json === "string") return json;
    if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
    return new CelError("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      return objectValue(json, schema);
    case "array":
      return listValue(json, schema);
    case "string":
      return textValue(json, schema);
    case "number":
      return typeof json === "number" ? json : new CelError("invalid data, expected float");
    case "integer":
      return typeof json === "number" && Number.isInteger(json)
        ? BigInt(json)
        : new CelError("invalid data, expected int");
    case "boolean":
      return typeof json === "boolean" ? json : new CelError("invalid data, expected bool");
    default:
      return new CelError("invalid schema type, expected object, array, number, integer, boolean or string");
  }
}

function objectValue(json: Json, given: StructuralSchema): CelValue {
  if (!isJsonObject(json)) {
    return new CelError("invalid data, expected a map for the provided schema with type=object");
  }
  const schema = given["x-kubernetes-embedded-resource"] ? withObjectMeta(given) : given;
  const { properties, additionalProperties } = schema;
  if (properties) {
    const make = (key: string, value: unknown): CelValue | undefined => {
      const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return field && schemaValue(value as Json, field);
    };
    return new SchemaMap(json, make, names);
  }
  if (typeof additionalProperties === "object") {
    return new SchemaMap(json, (_, value) => schemaValue(value as Json, additionalProperties), undefined);
  }
  return new SchemaMap(json, () => undefined, undefined);
}

function listValue(json: Json, schema: StructuralSchema): CelValue {
  if (!isJsonArray(json)) {
    return new CelError("invalid data, expected an array for the provided schema with type=array");
  }
  const { items } = schema;
  if (!items) return new CelError("invalid array type, expected Items with a non-empty Schema");
  return new SchemaList(json, (item) => schemaValue(item as Json, items), semanticsOf(schema));
}

function semanticsOf(schema: StructuralSchema): ListSemantics {
  const type = schema["x-kubernetes-list-type"];
  if (type === "map") return { type, keys: schema["x-kubernetes-list-map-keys"] ?? [] };
  return { type: type === "set" ? "set" : "atomic" };
}

function textValue(json: Json, { format }: StructuralSchema): CelValue {
  if (typeof json !== "string") return new CelError("invalid data, expected string");
  switch (format) {
    case "duration": {
      const value = readLooseDuration(json);
      return value === undefined ? new CelError(`Invalid duration ${json}`) : new CelDuration(value);
    }
    case "date":
    case "date-time": {
      const value = readTimestamp(format === "date" ? `${json}T00:00:00Z` : json);
      return value === undefined
        ? new CelError(`Invalid ${format} formatted string ${json}`)
        : new CelTimestamp(value);
    }
    case "byte":
      return readBase64(json) ?? new CelError(`Invalid byte formatted string ${json}`);
    default:
      return json;
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digits = new Map(Array.from(alphabet, (letter, index) => [letter, index]));

function readBase64(text: string): Uint8Array | undefined {
  const letters = text.replace(/={0,2}$/, "");
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*$/.test(letters)) return undefined;
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let [bits, count, at] = [0, 0, 0];
  for (const letter of letters) {
    bits = ((bits << 6) | (digits.get(letter) ?? 0)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = (bits >> count) & 0xff;
  }
  return bytes;
}
