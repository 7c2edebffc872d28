import type { fieldErrors, KubeObject, ObjectMeta, StructuralSchema } from "../../model/core.js";
import type { ValidateName } from "../../model/object/names.js";
import type { ObjectSchema } from "../../model/structural/object-schema.js";
import type { User } from "../access/user.js";

/** API verb, as listed in discovery. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One version of a kind, built-in or custom: names, schema, storage and rules. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly capabilities: Capabilities;
  /** Warning sent with every response of a deprecated version. */
  readonly deprecation?: string | undefined;
  readonly storage: Storage;
  /**
   * Present for kinds whose objects are questions, such as access reviews: a create fills in the answer, and nothing is stored.
   *
   * @throws {ApiError} for an invalid question.
   */
  readonly answer?: ((question: Draft, asker: Asker) => Promise<void>) | undefined;
  /** Schema of the objects. Nodes may be shared. */
  readonly schema: StructuralSchema;
  /** Compiled schema: defaulting, pruning and validation of whole objects. */
  readonly rules: ObjectSchema;
  /** Object with only the fields that are always present, for kinds that have such fields. */
  readonly blank?: KubeObject | undefined;
  readonly subresources: Subresources;
  readonly columns: readonly TableColumn[];
  /** Fields besides metadata.name and metadata.namespace that field selectors accept, with a function that reads each. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  readonly strategy: KindStrategy;
}

/** Who asks a question, and when (milliseconds since 1970). */
interface Asker {
  readonly user: User;
  readonly now: number;
}

/**
 * Ways in which kinds differ. Code asks for the capability that it depends on, never for where a kind comes from.
 */
export interface Capabilities {
  /** Accept bodies in Kubernetes' protobuf encoding. */
  readonly protobuf: boolean;
  /** Accept strategic merge patches. */
  readonly strategicMerge: boolean;
  /**
   * `typed`: bodies are read into a fixed structure, as Go reads a struct. The type of every field is checked while decoding, and
   * apiVersion and kind may be omitted. `unstructured`: any JSON is read, and the schema of a definition is applied afterwards.
   */
  readonly decoding: "typed" | "unstructured";
  /** Finalizer names without a domain: refused, accepted with a warning, or accepted. */
  readonly unqualifiedFinalizers: "refuse" | "warn" | "accept";
  /**
   * Errors for addresses that the kind does not serve. `installed`: a Status, as for routes that exist for the lifetime of the
   * server. `dynamic`: `404 page not found` and 405 with the resource's name, as for routes that come and go.
   */
  readonly routes: "installed" | "dynamic";
  /** Field selectors: by name and namespace only, or by {@link ResourceType.selectableFields} too. */
  readonly fieldSelectors: "metadata" | "declared";
  /** OpenAPI schema: named types as Kubernetes publishes its own, or the structural schema of a definition. */
  readonly openapi: "named-types" | "structural";
  /** Groups with a higher priority come first in discovery; groups with the same priority are sorted by name. */
  readonly groupPriority: number;
}

/** Storage of a kind, shared by all of its versions. */
export interface Storage {
  /** `/core/configmaps/` or `/demo.dev/widgets/`; after it comes `namespace/name` or `name`. */
  readonly prefix: string;
  /** Objects are stored in this version. */
  readonly apiVersion: string;
  /** Kind in storage; differs only where two kinds are views of one. */
  readonly kind: string;
  /**
   * Revision of the last schema change. Objects written at or before it are defaulted and pruned as they are read. 0 if the
   * schema never changed.
   */
  readonly schemaRevision: number;
  /**
   * Converts objects between the storage version and this one. Without it, versions differ only in their apiVersion, and
   * stored bytes are sent unchanged. The functions may change their argument.
   */
  readonly conversion?:
    | {
        readonly fromStorage: (object: Draft) => Draft;
        readonly toStorage: (object: Draft) => Draft;
      }
    | undefined;
}

/** Mutable object under construction: plain JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- any JSON is allowed below, checked by the schema
export type Draft = { apiVersion: string; kind: string; metadata: Record<string, any>; [field: string]: any };

/** Part of an object that is written separately, or something that can be done with it. */
export type Subresource =
  | "status"
  | "scale"
  /** Namespaces: writes spec.finalizers. */
  | "finalize"
  /** Pods: writes spec.ephemeralContainers. */
  | "ephemeralcontainers"
  /** Pods: assigns it to a node. */
  | "binding"
  /** Pods: deletes it, unless a disruption budget forbids that. */
  | "eviction"
  /** Pods: connections to a running one, of which there are none. */
  | "attach"
  | "exec"
  | "log"
  | "portforward";

export interface Subresources extends Readonly<
  Partial<Record<Exclude<Subresource, "scale">, true | undefined>>
> {
  readonly scale?: ScalePaths | undefined;
}

/** JSON paths (`.spec.replicas`) of the fields of an autoscaling/v1 Scale. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

/** Column of `kubectl get`, as in a Table's columnDefinitions. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority: number;
  /** Value of the cell; null for none. `now` is in milliseconds since 1970. */
  readonly cell: (object: KubeObject, now: number) => string | number | boolean | null;
}

/** Rules of a kind that its schema cannot express. */
export interface KindStrategy {
  readonly validateName: ValidateName;
  /** Maintain metadata.generation: custom resources, and built-in kinds with a spec. */
  readonly generation: boolean;
  /** Accept an update without metadata.resourceVersion. Custom resources and some built-in kinds do not. */
  readonly allowUnconditionalUpdate: boolean;
  /** Create the object on a PUT to a name that does not exist. */
  readonly allowCreateOnUpdate: boolean;
  /** Milliseconds after which objects of this kind expire. */
  readonly ttl?: number | undefined;
  /**
   * Values that an object holds for itself alone, such as its address: `set/value`. The store holds each for one object at most, from
   * the commit that writes the object to the one that removes it.
   */
  readonly claims?: ((object: KubeObject | Draft) => readonly string[]) | undefined;
  /** Fills in values that are claimed, before validation; no field manager owns them. `old` is the stored object of an update. */
  readonly allocate?:
    | ((object: Draft, old: KubeObject | undefined, claims: Claims) => Promise<void>)
    | undefined;
  /** Sets fields that the server controls on creation, before validation. */
  readonly prepareCreate?: ((object: Draft) => void) | undefined;
  /** Adds fields on creation that no field manager owns. */
  readonly completeCreate?: ((object: Draft) => void) | undefined;
  /** Metadata that a write through `status` leaves as it is: all of it, or these fields. Default: all. */
  readonly keptByStatus?: "all" | readonly (keyof ObjectMeta)[] | undefined;
  /** Sets fields that the server controls on updates of the main resource; the registry protects subresources. */
  readonly prepareUpdate?: ((object: Draft, old: KubeObject) => void) | undefined;
  readonly validate?: ((object: Draft) => fieldErrors.FieldError[]) | undefined;
  /** `subresource` is the one being updated, if any. */
  readonly validateUpdate?:
    | ((object: Draft, old: KubeObject, subresource?: Subresource) => fieldErrors.FieldError[])
    | undefined;
  /** Error to refuse creation with, if it is currently not allowed. */
  readonly forbidCreate?: (() => Error | undefined) | undefined;
  /** Awaited before the response to a create or update, for effects that clients rely on from then on. */
  readonly afterWrite?: ((object: KubeObject) => Promise<void>) | undefined;
  /** Reason to refuse the deletion of an object, if any. */
  readonly forbidDelete?: ((object: KubeObject) => string | undefined) | undefined;
  /** True while something besides metadata.finalizers keeps an object that is being deleted. */
  readonly holdsDeleted?: ((object: KubeObject) => boolean) | undefined;
  /** Changes an object when its deletion begins, if finalizers keep it. */
  readonly prepareDelete?: ((object: Draft) => void) | undefined;
  /** Respond to a delete with the object's last state instead of a Status. */
  readonly returnsDeleted?: boolean | undefined;
  /** Warnings for the response of a create, or of an update of `old`. */
  readonly warnings?: ((object: Draft, old?: KubeObject) => string[]) | undefined;
}

/** Claims of all objects. What is free may be taken by another write, which repeats this one. */
export interface Claims {
  isFree(claim: string): Promise<boolean>;
  /** A value of a set that is free; undefined if there is none. */
  pick(set: string, pool: Pool): Promise<string | undefined>;
}

/** Values that can be picked, by index. */
export interface Pool {
  /**
   * Text that decides which value is tried first, such as the name of the object. The same object gets the same value again where it
   * can, so that tests and repeated runs have the same outcome.
   */
  readonly seed: string;
  /** First index that is picked. */
  readonly first: number;
  /** Index from which values are picked while there are any; those before are left to objects that ask for one. */
  readonly preferred: number;
  /** Index after the last one. */
  readonly size: number;
  readonly valueAt: (index: number) => string;
  /** True for values that are not picked. */
  readonly except?: ((value: string) => boolean) | undefined;
}

/** `demo.dev/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
