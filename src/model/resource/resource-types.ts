import type { input, output, $ZodType } from "zod/v4/core";

import type { Condition } from "../conditions/conditions.js";
import type { ObjectMeta } from "../object/object.js";
import type { StructuralSchema, ValidationRule } from "../schema/structural-schema.js";

/** Scope of a kind: its objects have a namespace, or belong to the whole cluster. */
export type ResourceScope = "Namespaced" | "Cluster";

/** Type of a printer column. */
export type ColumnType = "integer" | "number" | "string" | "boolean" | "date";

/** Column of `kubectl get`. */
export interface Column {
  readonly name: string;
  /** Path of the value, such as `.spec.pages`. */
  readonly path: string;
  readonly type: ColumnType;
  readonly description?: string;
  /** 0 is always shown, higher ones only with `-o wide`. */
  readonly priority?: number;
}

/** Paths for `kubectl scale` and autoscalers. */
export interface Scale {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Field with a label selector as a string. */
  readonly selector?: string;
}

/** Subresources of a kind. */
export interface Subresources {
  readonly status: boolean;
  readonly scale?: Scale;
}

/** Version of a kind. */
export interface ResourceVersion {
  readonly name: string;
  readonly served: boolean;
  /** True for the version that is stored; exactly one is. */
  readonly storage: boolean;
  /** Structural schema of the whole object. */
  readonly schema: StructuralSchema;
  readonly subresources: Subresources;
  readonly columns: readonly Column[];
  readonly selectableFields: readonly string[];
}

declare const types: unique symbol;

/**
 * Kind: everything an API server, a client and a controller need to know about it, as frozen data. Created by
 * {@link resource}. The last three type parameters exist only for the compiler.
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
  readonly scope: ResourceScope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description?: string;
  /** Approval of a kind in a group of the Kubernetes project. */
  readonly approval?: string;
  /**
   * All versions of the kind. The other fields are those of the version in `apiVersion`; currently there is
   * only one.
   */
  readonly versions: readonly ResourceVersion[];
  readonly [types]?: { readonly input: Input; readonly spec: Output; readonly status: State };
}

/** Column as an option; its type defaults to that of the schema. */
export type ColumnOptions = Omit<Column, "type"> & { readonly type?: ColumnType };

/** Options for `resource()`. */
export interface ResourceOptions<Spec extends $ZodType, Status extends $ZodType | undefined> {
  /** Schema of the desired state. */
  readonly spec: Spec;
  /**
   * Schema of the observed state. `conditions` and `observedGeneration` are added if it does not declare
   * them, unless `standardStatus` is false. Every field is optional.
   */
  readonly status?: Status;
  /**
   * Adds `conditions` and `observedGeneration` to the status; controllers set them, with the conditions Ready and Stalled. Set it to
   * false for a kind that others have defined, such as one of the Gateway API: then the status has the declared fields only.
   * Default: true.
   */
  readonly standardStatus?: boolean;
  /**
   * URL of the approval of a kind whose group belongs to the Kubernetes project (`*.k8s.io`): the annotation
   * `api-approved.kubernetes.io` of its definition. Only for kinds that the project has defined.
   */
  readonly approval?: string;
  readonly scope?: ResourceScope;
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /**
   * Columns of `fettle get` and `kubectl get`, after the name. Ready, Reason and Age are added for a kind with a status; a column
   * that is declared with the same name or path takes their place.
   */
  readonly columns?: readonly ColumnOptions[];
  readonly scale?: Scale;
  /** Fields for `kubectl get --field-selector`, besides name and namespace. */
  readonly selectableFields?: readonly string[];
  /** CEL rules for the whole object. */
  readonly validations?: readonly ValidationRule[];
  readonly description?: string;
}

/** Deeply read-only value. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Status fields of every kind. */
export interface StandardStatus {
  readonly conditions?: readonly Condition[];
  /** Generation that the status was computed from. */
  readonly observedGeneration?: number;
}

/**
 * Status type: the fields of the schema and the missing standard fields. Every field is optional, because a
 * controller fills the status step by step.
 */
export type StatusOutput<Status extends $ZodType | undefined> = Status extends $ZodType
  ? WithStandard<Fields<output<Status>>>
  : never;

type WithStandard<State> = Partial<DeepReadonly<State>> & Omit<StandardStatus, keyof State>;

/** `z.object({})` infers a type without any fields; here it means that none are declared. */
type Fields<State> = string extends keyof State
  ? State[keyof State] extends never
    ? unknown
    : State
  : State;

/** Kind with the types inferred from zod schemas for spec and status. */
export type ResourceOf<
  ApiVersion extends string,
  Kind extends string,
  Spec extends $ZodType,
  Status extends $ZodType | undefined,
> = Resource<ApiVersion, Kind, input<Spec>, DeepReadonly<output<Spec>>, StatusOutput<Status>>;

type TypesOf<R extends Resource> = NonNullable<R[typeof types]>;

/** Spec as written: fields with defaults are optional. */
export type SpecInput<R extends Resource> = TypesOf<R>["input"];

/** Spec as read: defaults are filled in. */
export type Spec<R extends Resource> = TypesOf<R>["spec"];

/** Status as read. */
export type Status<R extends Resource> = TypesOf<R>["status"];

/**
 * Object of a kind as read.
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
