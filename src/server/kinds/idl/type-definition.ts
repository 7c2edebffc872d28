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

/** What stands in one place of the JSON and has no fields of its own; `any` may be any JSON. */
export type Scalar = (typeof scalars)[number];

export function isScalar(name: string): name is Scalar {
  return (scalars as readonly string[]).includes(name);
}

/** The type of a field, of an item of a list or of a value of a map. */
export type ValueType =
  | { readonly of: "scalar"; readonly scalar: Scalar; readonly alias?: Alias | undefined }
  | { readonly of: "struct"; readonly struct: StructType }
  | { readonly of: "list"; readonly item: ValueType }
  | { readonly of: "map"; readonly value: ValueType };

/** A name for a scalar, such as `SecretType` for a string. */
export interface Alias {
  readonly name: string;
  readonly scalar: Scalar;
  /** How OpenAPI documents call it; texts with a name have none there. */
  readonly openApiName: string;
  /** How errors call it: `v1.SecretType`. */
  readonly goName: string;
  readonly values?: readonly string[] | undefined;
}

/**
 * When a field is written:
 * - `plain`: unless it is empty (structs and times always: a struct as `{}`, a time as null)
 * - `pointer`: when it was given, even if it is empty
 * - `required`: always, and clients have to give it
 * - `always`: always, and clients may leave it out
 */
export type Presence = "plain" | "pointer" | "required" | "always";

export type ListType = "atomic" | "set" | "map";

/** How strategic merge patches treat a field. */
export interface PatchStrategy {
  readonly strategies: readonly ("merge" | "replace" | "retainKeys")[];
  /** What tells the items of a list apart. */
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
  readonly patch?: PatchStrategy | undefined;
  readonly default?: Json | undefined;
  /** OpenAPI documents carry the default; Kubernetes publishes only some of those it applies. */
  readonly isDefaultPublished?: true | undefined;
  /** Clients have to give it, though nothing is written where they did not. */
  readonly required?: true | undefined;
  /** A message of its own in protobuf only; the fields of its struct are among those of its owner. */
  readonly inline?: true | undefined;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
}

/** An object with fields. Types may contain themselves, so walk them with the value beside, never alone. */
export interface StructType {
  readonly name: string;
  readonly group: GroupDefinition;
  /** Has apiVersion and kind: travels on its own. */
  readonly kind: boolean;
  /** In JSON one of the fields' values stands in place of the whole: the one of the fitting JSON type. */
  readonly union: boolean;
  /** Is always owned and patched as a whole. */
  readonly atomic: boolean;
  readonly description?: string | undefined;
  /** As JSON has them, in the order in which Kubernetes writes them. Read when first asked for, like the next two. */
  readonly fields: readonly FieldDefinition[];
  readonly byName: ReadonlyMap<string, FieldDefinition>;
  /** As protobuf has them, where some are inlined. */
  readonly byNumber: ReadonlyMap<number, FieldDefinition>;
}

/** An API group in one version. */
export interface GroupDefinition {
  /** `core/v1`: how the table calls it. */
  readonly name: string;
  /** The empty text for the core group. */
  readonly group: string;
  readonly version: string;
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** `io.k8s.api.core.v1`: the beginning of the names of its types in OpenAPI documents. */
  readonly openApiPrefix: string;
}

/** What the tables call types: `core/v1.Secret`. */
export interface Names {
  readonly structs: Map<string, StructType>;
  readonly aliases: Map<string, Alias>;
}

/** `io.k8s.api.core.v1.ConfigMap`. */
export function openApiName({ group, name }: StructType): string {
  return `${group.openApiPrefix}.${name}`;
}
