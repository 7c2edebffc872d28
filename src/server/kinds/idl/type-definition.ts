import type { Json } from "../../../model/core.js";

const scalars = [
  "string",
  "bytes",
  "bool",
  "int32",
  "int64",
  "double",
  "time",
  "microtime",
  "duration",
  "quantity",
  "intOrString",
  "any",
] as const;

/** Type of a value without fields; `any` is any JSON. */
export type Scalar = (typeof scalars)[number];

export function isScalar(name: string): name is Scalar {
  return (scalars as readonly string[]).includes(name);
}

/** Type of a field, a list item or a map value. */
export type ValueType =
  | { readonly of: "scalar"; readonly scalar: Scalar; readonly alias?: Alias | undefined }
  | { readonly of: "struct"; readonly struct: StructType }
  | { readonly of: "list"; readonly item: ValueType }
  | { readonly of: "map"; readonly value: ValueType };

/** A name for a scalar, such as `SecretType` for a string. */
export interface Alias {
  readonly name: string;
  readonly scalar: Scalar;
  /** Name in OpenAPI documents; only aliases of `any` are named there. */
  readonly openApiName: string;
  /** Name in error messages: `v1.SecretType`. */
  readonly goName: string;
  readonly values?: readonly string[] | undefined;
}

/**
 * Condition under which a field is written:
 * - `plain`: unless it is empty (structs and times always: a struct as `{}`, a time as null)
 * - `pointer`: when it was set, even if it is empty
 * - `required`: always, and clients must set it
 * - `always`: always, and clients may omit it
 */
export type Presence = "plain" | "pointer" | "required" | "always";

export type ListType = "atomic" | "set" | "map";

/** Rules of strategic merge patches for a field. */
export interface FieldPatchStrategy {
  readonly strategies: readonly ("merge" | "replace" | "retainKeys")[];
  /** Field that identifies list items. */
  readonly mergeKey?: string | undefined;
}

export interface FieldDefinition {
  readonly name: string;
  readonly number: number;
  readonly type: ValueType;
  readonly presence: Presence;
  readonly listType?: ListType | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
  readonly mapType?: "atomic" | "granular" | undefined;
  readonly patch?: FieldPatchStrategy | undefined;
  readonly default?: Json | undefined;
  /** OpenAPI documents carry the default; Kubernetes publishes only some of those it applies. */
  readonly isDefaultPublished?: true | undefined;
  /** Clients must set it, but nothing is written when they did not. */
  readonly required?: true | undefined;
  /** Nested in protobuf only; in JSON the fields of its struct are fields of its owner. */
  readonly inline?: true | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
}

/** Type with fields. Types may be recursive, so traverse them along a value, never alone. */
export interface StructType {
  readonly name: string;
  readonly group: GroupDefinition;
  /** Has apiVersion and kind. */
  readonly kind: boolean;
  /** Written in JSON as the value of one of its fields: the one whose type fits. */
  readonly union: boolean;
  /** Owned and replaced as a whole by server-side apply. */
  readonly atomic: boolean;
  readonly description?: string | undefined;
  /** Fields in JSON, in the order in which Kubernetes writes them. Parsed on first use, like the next two. */
  readonly fields: readonly FieldDefinition[];
  readonly byName: ReadonlyMap<string, FieldDefinition>;
  /** Fields in protobuf, where inlined structs are nested. */
  readonly byNumber: ReadonlyMap<number, FieldDefinition>;
}

/** An API group in one version. */
export interface GroupDefinition {
  /** Name in type descriptions: `core/v1`. */
  readonly name: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** Prefix of type names in OpenAPI documents: `io.k8s.api.core.v1`. */
  readonly openApiPrefix: string;
}

/** Types and aliases by qualified name: `core/v1.Secret`. */
export interface Names {
  readonly structs: Map<string, StructType>;
  readonly aliases: Map<string, Alias>;
}

/** `io.k8s.api.core.v1.ConfigMap`. */
export function openApiName({ group, name }: StructType): string {
  return `${group.openApiPrefix}.${name}`;
}
