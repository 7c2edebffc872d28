import type { input, output, $ZodType } from "zod/v4/core";

import type { Condition } from "../conditions/conditions.js";
import type { ObjectMeta } from "../object/object.js";
import type { StructuralSchema, ValidationRule } from "./structural-schema.js";

/** Whether objects of a kind live in a namespace or belong to the whole cluster. */
export type Scope = "Namespaced" | "Cluster";

/** How a printer column shows its value. */
export type ColumnType = "integer" | "number" | "string" | "boolean" | "date";

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  /** Where the value is, such as `.spec.pages`. */
  readonly path: string;
  readonly type: ColumnType;
  readonly description?: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority?: number;
}

/** Where `kubectl scale` and autoscalers find the numbers. */
export interface Scale {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** The field that holds a label selector as text. */
  readonly selector?: string;
}

/** What has an endpoint of its own beside the object. */
export interface Subresources {
  readonly status: boolean;
  readonly scale?: Scale;
}

/** What differs between the versions of one kind. */
export interface ResourceVersion {
  readonly name: string;
  readonly served: boolean;
  /** Exactly one version of a kind is the one that is stored. */
  readonly storage: boolean;
  /** The structural schema of the whole object. */
  readonly schema: StructuralSchema;
  readonly subresources: Subresources;
  readonly columns: readonly Column[];
  readonly selectableFields: readonly string[];
}

declare const types: unique symbol;

/**
 * A kind: everything an API server, a client and a controller have to know about it, as plain frozen data.
 * Made by {@link resource}. The last three type parameters exist for the compiler only.
 */
export interface Resource<
  ApiVersion extends string = string,
  Kind extends string = string,
  Input = unknown,
  Output = unknown,
  State = unknown,
> extends Omit<ResourceVersion, "name" | "served" | "storage"> {
  readonly apiVersion: ApiVersion;
  readonly group: string;
  readonly version: string;
  readonly kind: Kind;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description?: string;
  /**
   * All versions of the kind. The fields beside it are those of the version that `apiVersion` names; for now
   * there is no other.
   */
  readonly versions: readonly ResourceVersion[];
  readonly [types]?: { readonly input: Input; readonly spec: Output; readonly status: State };
}

/** A column as it is written; its type follows from the schema when it is left out. */
export type ColumnOptions = Omit<Column, "type"> & { readonly type?: ColumnType };

/** What `resource()` is told about a kind. */
export interface ResourceOptions<Spec extends $ZodType, Status extends $ZodType | undefined> {
  /** The desired state. */
  readonly spec: Spec;
  /**
   * The observed state. `conditions` and `observedGeneration` are added when it does not name them, and no
   * field of it is required.
   */
  readonly status?: Status;
  readonly scope?: Scope;
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly columns?: readonly ColumnOptions[];
  readonly scale?: Scale;
  /** Fields that `kubectl get --field-selector` may ask for, besides name and namespace. */
  readonly selectableFields?: readonly string[];
  /** CEL rules over the whole object. */
  readonly validations?: readonly ValidationRule[];
  readonly description?: string;
}

/** A value that is only read, all the way down. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** What every status has, so that a controller can report without being told how. */
export interface StandardStatus {
  readonly conditions?: readonly Condition[];
  /** The generation of the object that the status was made from. */
  readonly observedGeneration?: number;
}

/**
 * What the status schema says, and what it leaves out of the standard. Every field may be missing: a
 * controller fills the status bit by bit.
 */
export type StatusOutput<Status extends $ZodType | undefined> = Status extends $ZodType
  ? WithStandard<Fields<output<Status>>>
  : never;

type WithStandard<State> = Partial<DeepReadonly<State>> & Omit<StandardStatus, keyof State>;

/** `z.object({})` promises that there are no fields at all, whatever their name; here it means that it names none. */
type Fields<State> = string extends keyof State
  ? State[keyof State] extends never
    ? unknown
    : State
  : State;

/** The kind that a zod schema for spec and status makes. */
export type ResourceOf<
  ApiVersion extends string,
  Kind extends string,
  Spec extends $ZodType,
  Status extends $ZodType | undefined,
> = Resource<ApiVersion, Kind, input<Spec>, DeepReadonly<output<Spec>>, StatusOutput<Status>>;

type TypesOf<R extends Resource> = NonNullable<R[typeof types]>;

/** What one may write as the spec of a kind: what has a default may be left out. */
export type SpecInput<R extends Resource> = TypesOf<R>["input"];

/** What one reads as the spec of a kind: defaults are filled in. */
export type Spec<R extends Resource> = TypesOf<R>["spec"];

/** What one reads as the status of a kind. */
export type Status<R extends Resource> = TypesOf<R>["status"];

/**
 * An object of a kind as it is read.
 *
 * @example
 * type SiteObject = ResourceObject<typeof Site>;
 */
export interface ResourceObject<R extends Resource> {
  readonly apiVersion: R["apiVersion"];
  readonly kind: R["kind"];
  readonly metadata: ObjectMeta;
  readonly spec: Spec<R>;
  readonly status?: Status<R>;
}
