import type { Json } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import { formatApiVersion, type GroupVersion } from "../../../model/object/object.js";
import type { Scalar, StructType, ValueType } from "../idl/type-definition.js";
import { findBuiltInKind } from "../types.js";
import { base64Fault } from "./base64.js";
import { deepest } from "./depth.js";
import { isCanonicalTime, parseGoTime } from "./go-time.js";

/**
 * First value of a wrong JSON type in an object of a built-in kind, worded like the errors of a server that decodes into
 * Go structs; undefined when there is none. Null fits everywhere, and unknown fields are ignored.
 *
 * @example
 * checkTypes({ group: "", version: "v1", kind: "ConfigMap" }, { data: { a: 1 } });
 * // 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct
 * // field ConfigMap.data of type string'
 */
export function checkTypes(type: GroupVersion & { readonly kind: string }, object: Json): string | undefined {
  const struct = findBuiltInKind(formatApiVersion(type), type.kind);
  return struct && typeFault(struct, object);
}

/** First type fault of a value of a given type. */
export function typeFault(struct: StructType, object: Json): string | undefined {
  const fault = isObject(object)
    ? checkStruct(object, struct, root, 0)
    : `json: cannot unmarshal ${jsonType(object)} into Go value of type ${goStructName(struct)}`;
  const { name, group } = struct;
  return fault && `${name} in version ${quote(group.version)} cannot be handled as a ${name}: ${fault}`;
}

/** Position of a value among the Go structs: a field of a struct, which has a position itself. */
interface Place {
  readonly struct: StructType | undefined;
  readonly name: string;
  readonly above: Place | undefined;
  /** Errors inside a union name the field that holds the union. */
  readonly fixed?: true;
}

const root: Place = { struct: undefined, name: "", above: undefined };

/** Field names from the root, without indexes and keys. */
function pathOf({ name, above }: Place): string {
  const path = above === undefined ? "" : pathOf(above);
  return path === "" ? name : `${path}.${name}`;
}

function checkStruct(
  object: { readonly [key: string]: Json },
  struct: StructType,
  place: Place,
  depth: number,
): string | undefined {
  if (depth > deepest) return "exceeded max depth";
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const field = value === null ? undefined : struct.byName.get(name);
    if (field === undefined) continue;
    const fault = checkValue(value, field.type, place.fixed ? place : { struct, name, above: place }, depth);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkValue(value: Json, type: ValueType, place: Place, depth: number): string | undefined {
  if (value === null) return undefined;
  switch (type.of) {
    case "scalar":
      return checkScalar(value, type.scalar, type, place);
    case "struct":
      if (type.struct.union) return checkUnion(value, type.struct, place, depth);
      return isObject(value)
        ? checkStruct(value, type.struct, place, depth + 1)
        : cannotUnmarshal(jsonType(value), place, type);
    case "list":
      if (!Array.isArray(value)) return cannotUnmarshal(jsonType(value), place, type);
      return firstFault(value as readonly Json[], type.item, place, depth);
    case "map":
      if (!isObject(value)) return cannotUnmarshal(jsonType(value), place, type);
      return firstFault(Object.values(value), type.value, place, depth);
  }
}

function firstFault(
  values: readonly Json[],
  type: ValueType,
  place: Place,
  depth: number,
): string | undefined {
  for (const value of values) {
    const fault = checkValue(value, type, place, depth);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkUnion(value: Json, union: StructType, place: Place, depth: number): string | undefined {
  const type = alternativeFor(value, union);
  if (type !== undefined) return checkValue(value, type, { ...place, fixed: true }, depth);
  // Other unions ignore a value that fits none of their types.
  const strict = union.fields.some((field) => field.type.of === "scalar" && field.type.scalar === "bool");
  return strict ? "boolean or JSON schema expected" : undefined;
}

/** The alternative of a union that a value fits. */
export function alternativeFor(value: Json, union: StructType): ValueType | undefined {
  const wanted = Array.isArray(value) ? "list" : isObject(value) ? "struct" : "scalar";
  return union.fields.find(
    ({ type }) => type.of === wanted && (wanted !== "scalar" || typeof value === "boolean"),
  )?.type;
}

function checkScalar(value: Json, scalar: Scalar, type: ValueType, place: Place): string | undefined {
  switch (scalar) {
    case "string":
      return typeof value === "string" ? undefined : cannotUnmarshal(jsonType(value), place, type);
    case "bool":
      return typeof value === "boolean" ? undefined : cannotUnmarshal(jsonType(value), place, type);
    case "int32":
    case "int64":
    case "double":
      return checkNumber(value, scalar, type, place);
    case "bytes":
      return checkBytes(value, type, place);
    case "time":
    case "microtime": {
      if (typeof value !== "string") return cannotUnmarshal(jsonType(value), place, type);
      const micro = scalar === "microtime";
      if (isCanonicalTime(value, micro)) return undefined;
      const parsed = parseGoTime(value, micro);
      return "error" in parsed ? parsed.error : undefined;
    }
    case "duration":
      return typeof value === "string" ? durationFault(value) : cannotUnmarshal(jsonType(value), place, type);
    case "intOrString":
      return typeof value === "string" ? undefined : checkNumber(value, "int32", type, place);
    case "quantity":
      return quantityFault(value);
    case "any":
      return undefined;
  }
}

function checkNumber(
  value: Json,
  scalar: "int32" | "int64" | "double",
  type: ValueType,
  place: Place,
): string | undefined {
  if (typeof value !== "number") return cannotUnmarshal(jsonType(value), place, type);
  if (scalar === "double") return undefined;
  const limit = scalar === "int32" ? 2 ** 31 : 2 ** 63;
  if (Number.isInteger(value) && value >= -limit && value < limit) return undefined;
  return cannotUnmarshal(`number ${value}`, place, type);
}

function checkBytes(value: Json, type: ValueType, place: Place): string | undefined {
  if (typeof value !== "string") return cannotUnmarshal(jsonType(value), place, type);
  const fault = base64Fault(value);
  return fault === undefined ? undefined : `illegal base64 data at input byte ${fault}`;
}

// Both patterns match digits in one way only, so that matching takes linear time.
const goDuration = /^[-+]?(0|((\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;

/** Fault of a duration such as `1h30m`, as Go words it; undefined when there is none. */
export function durationFault(text: string): string | undefined {
  return goDuration.test(text) ? undefined : `time: invalid duration ${quote(text)}`;
}

const goQuantity = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

function quantityFault(value: Json): string | undefined {
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  if (goQuantity.test(text)) return undefined;
  return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

function cannotUnmarshal(what: string, place: Place, type: ValueType): string {
  const field = `${place.struct?.name ?? ""}.${pathOf(place)}`;
  return `json: cannot unmarshal ${what} into Go struct field ${field} of type ${goName(type)}`;
}

const goScalars: Readonly<Record<Scalar, string>> = {
  string: "string",
  bytes: "[]uint8",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  // Go decodes these with custom code, which expects a string or a number.
  time: "string",
  microtime: "string",
  duration: "string",
  intOrString: "int32",
  quantity: "resource.Quantity",
  any: "runtime.RawExtension",
};

function goName(type: ValueType): string {
  switch (type.of) {
    case "scalar":
      return type.alias?.goName ?? goScalars[type.scalar];
    case "struct":
      return goStructName(type.struct);
    case "list":
      return `[]${goName(type.item)}`;
    case "map":
      return `map[string]${goName(type.value)}`;
  }
}

function goStructName({ group, name }: StructType): string {
  return `${group.version}.${name}`;
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
