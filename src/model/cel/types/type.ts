/** Static type of a value. */
export interface CelType {
  readonly kind:
    | "dyn"
    | "error"
    | "null"
    | "bool"
    | "int"
    | "uint"
    | "double"
    | "string"
    | "bytes"
    | "timestamp"
    | "duration"
    | "list"
    | "map"
    | "type"
    /** Identified by name; with fields it is an object of a schema. */
    | "struct"
    /** Identified by name and parameters. */
    | "opaque"
    /** Unbound type parameter. */
    | "param";
  readonly name: string;
  readonly params: readonly CelType[];
  readonly fields?: ReadonlyMap<string, CelType>;
}

function plain(kind: CelType["kind"], name: string = kind): CelType {
  return { kind, name, params: [] };
}

export const dyn = plain("dyn");
/** Type of an erroneous expression; assignable to everything, so that each error is reported once. */
export const errorType = plain("error", "!error!");
export const nullType = plain("null");
export const bool = plain("bool");
export const int = plain("int");
export const uint = plain("uint");
export const double = plain("double");
export const string = plain("string");
export const bytes = plain("bytes");
export const timestamp = plain("timestamp");
export const duration = plain("duration");

export function listOf(item: CelType): CelType {
  return { kind: "list", name: "list", params: [item] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

export function typeOf(type: CelType): CelType {
  return { kind: "type", name: "type", params: [type] };
}

export function optionalOf(type: CelType): CelType {
  return { kind: "opaque", name: "optional_type", params: [type] };
}

export function param(name: string): CelType {
  return { kind: "param", name, params: [] };
}

export function struct(name: string, fields?: ReadonlyMap<string, CelType>): CelType {
  return { kind: "struct", name, params: [], ...(fields && { fields }) };
}

/** Element type of an optional; undefined for other types. */
export function insideOptional(type: CelType): CelType | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.params[0] : undefined;
}

export function isDynamic({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "error";
}

export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((inner, index) => isSameType(inner, b.params[index] ?? dyn));
}

/** Renders a type for messages. */
export function renderType(type: CelType): string {
  if (type.params.length === 0) return type.name;
  return `${type.name}(${type.params.map(renderType).join(", ")})`;
}

/** Renders the arguments of a call for messages. */
export function renderArguments(types: readonly CelType[], isMember: boolean): string {
  const [target, ...rest] = types;
  if (!isMember || !target) return `(${types.map(renderType).join(", ")})`;
  return `${renderType(target)}.(${rest.map(renderType).join(", ")})`;
}

/** Type names that expressions can use as values: `type(x) == string`. */
export const typeNames: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ...[bool, bytes, double, int, string, uint].map((type): [string, CelType] => [type.name, typeOf(type)]),
  ["google.protobuf.Duration", typeOf(duration)],
  ["google.protobuf.Timestamp", typeOf(timestamp)],
  ["list", typeOf(listOf(dyn))],
  ["map", typeOf(mapOf(dyn, dyn))],
  ["null_type", typeOf(nullType)],
  ["type", typeOf(typeOf(dyn))],
  ["optional_type", typeOf(optionalOf(dyn))],
  ["net.IP", typeOf({ kind: "opaque", name: "net.IP", params: [] })],
  ["net.CIDR", typeOf({ kind: "opaque", name: "net.CIDR", params: [] })],
]);
