/** What can be known about a value before there is one. */
export interface Type {
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
    /** Told apart by its name; with fields it is an object of a schema. */
    | "struct"
    /** Told apart by its name and what it holds. */
    | "opaque"
    /** Stands for a type that is not known yet. */
    | "param";
  readonly name: string;
  readonly params: readonly Type[];
  readonly fields?: ReadonlyMap<string, Type>;
}

function plain(kind: Type["kind"], name: string = kind): Type {
  return { kind, name, params: [] };
}

export const dyn = plain("dyn");
/** The type of what is wrong; it fits everywhere, so that one fault is told only once. */
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

export function listOf(item: Type): Type {
  return { kind: "list", name: "list", params: [item] };
}

export function mapOf(key: Type, value: Type): Type {
  return { kind: "map", name: "map", params: [key, value] };
}

export function typeOf(type: Type): Type {
  return { kind: "type", name: "type", params: [type] };
}

export function optionalOf(type: Type): Type {
  return { kind: "opaque", name: "optional_type", params: [type] };
}

export function param(name: string): Type {
  return { kind: "param", name, params: [] };
}

export function struct(name: string, fields?: ReadonlyMap<string, Type>): Type {
  return { kind: "struct", name, params: [], ...(fields && { fields }) };
}

/** What an optional holds; undefined when it is none. */
export function insideOptional(type: Type): Type | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.params[0] : undefined;
}

export function isDynamic({ kind }: Type): boolean {
  return kind === "dyn" || kind === "error";
}

export function isSame(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((inner, index) => isSame(inner, b.params[index] ?? dyn));
}

/** A type as messages name it. */
export function renderType(type: Type): string {
  if (type.params.length === 0) return type.name;
  return `${type.name}(${type.params.map(renderType).join(", ")})`;
}

/** The arguments of a call as messages name them. */
export function renderArguments(types: readonly Type[], isMember: boolean): string {
  const [target, ...rest] = types;
  if (!isMember || !target) return `(${types.map(renderType).join(", ")})`;
  return `${renderType(target)}.(${rest.map(renderType).join(", ")})`;
}
