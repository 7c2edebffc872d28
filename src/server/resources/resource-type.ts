import type { fieldErrors, KubeObject, StructuralSchema } from "../../model/core.js";
import type { ValidateName } from "../../model/object/names.js";
import type { ObjectSchema } from "../../model/structural/object-schema.js";

/** What clients can do with objects of a kind; discovery lists them. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One kind in one of its versions: everything the server knows of it. Built-in and custom kinds alike. */
export interface ResourceType {
  /** The empty text for the core group. */
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
  /** A version that is on its way out says so with every answer. */
  readonly deprecation?: string | undefined;
  readonly storage: Storage;
  /** Schema of the objects. Nodes may be shared. */
  readonly schema: StructuralSchema;
  /** The same, compiled: defaulting, pruning and validation of whole objects. */
  readonly rules: ObjectSchema;
  /** An object before anything is set, for kinds that have fields which are always there. */
  readonly blank?: KubeObject | undefined;
  readonly subresources: Subresources;
  readonly columns: readonly TableColumn[];
  /** Fields besides metadata.name and metadata.namespace that field selectors may name, with how to read them. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  readonly strategy: Strategy;
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

/** Where and how objects of a kind are stored. All versions of a kind share it. */
export interface Storage {
  /** `/core/configmaps/` or `/demo.dev/widgets/`; after it comes `namespace/name` or `name`. */
  readonly prefix: string;
  /** Objects are stored in this version. */
  readonly apiVersion: string;
  /** The kind in storage; another only where two kinds are views of one. */
  readonly kind: string;
  /**
   * Objects that were written at or before this revision may lack what the schema says today, and are defaulted and
   * pruned as they are read. 0 when the schema never changed.
   */
  readonly schemaRevision: number;
  /**
   * Makes of an object in the storage version one in this version, and back. Without it versions differ in nothing
   * but their apiVersion, and stored bytes are sent as they are. The functions may change their argument.
   */
  readonly conversion?:
    | {
        readonly fromStorage: (object: Draft) => Draft;
        readonly toStorage: (object: Draft) => Draft;
      }
    | undefined;
}

/** An object while it is being put together: plain JSON that may be changed. */
// oxlint-disable-next-line typescript/no-explicit-any -- any JSON may stand below, checked by the schema
export type Draft = { apiVersion: string; kind: string; metadata: Record<string, any>; [field: string]: any };

/** A part of an object with rules of its own. */
export type Subresource = "status" | "scale" | "finalize";

export interface Subresources {
  readonly status?: true | undefined;
  /** Namespaces only: writes spec.finalizers. */
  readonly finalize?: true | undefined;
  readonly scale?: ScalePaths | undefined;
}

/** JSON paths (`.spec.replicas`) of what autoscaling/v1 Scale shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

/** A column of `kubectl get`, as in a Table's columnDefinitions. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority: number;
  /** What stands in the cell: text, number, boolean, or null for nothing. `now` is in milliseconds since 1970. */
  readonly cell: (object: KubeObject, now: number) => string | number | boolean | null;
}

/** The rules of a kind that its schema cannot say. Every function may be left out. */
export interface Strategy {
  readonly validateName: ValidateName;
  /** Whether metadata.generation is kept (custom resources; built-in kinds that have a spec to count). */
  readonly generation: boolean;
  /** Custom resources and some built-in kinds refuse an update without metadata.resourceVersion. */
  readonly allowUnconditionalUpdate: boolean;
  /** Whether a PUT to a name that does not exist creates the object. */
  readonly allowCreateOnUpdate: boolean;
  /** Milliseconds after which objects of this kind vanish. */
  readonly ttl?: number | undefined;
  /** Sets what the server decides on creation, before validation. */
  readonly prepareCreate?: ((object: Draft) => void) | undefined;
  /** Adds what the server adds of its own accord, and what therefore nobody owns. */
  readonly completeCreate?: ((object: Draft) => void) | undefined;
  /** The same for updates of the main resource (status and other subresources are kept apart by the registry). */
  readonly prepareUpdate?: ((object: Draft, old: KubeObject) => void) | undefined;
  readonly validate?: ((object: Draft) => fieldErrors.FieldError[]) | undefined;
  /** `subresource` is the one that the update goes through, if any. */
  readonly validateUpdate?:
    | ((object: Draft, old: KubeObject, subresource?: Subresource) => fieldErrors.FieldError[])
    | undefined;
  /** Why nothing may be created now, if so. */
  readonly forbidCreate?: (() => Error | undefined) | undefined;
  /** Waited for before a create or update is answered: what the client may rely on from then on. */
  readonly afterWrite?: ((object: KubeObject) => Promise<void>) | undefined;
  /** Why an object may not be deleted, if so. */
  readonly forbidDelete?: ((object: KubeObject) => string | undefined) | undefined;
  /** Whether an object that is being deleted has to stay for now, finalizers in its metadata apart. */
  readonly staysDeleted?: ((object: KubeObject) => boolean) | undefined;
  /** Marks an object that stays for now, once, when its deletion begins. */
  readonly prepareDelete?: ((object: Draft) => void) | undefined;
  /** Whether a delete is answered with the object's last state instead of a Status. */
  readonly returnsDeleted?: boolean | undefined;
  /** Texts that are sent as warnings with the answer of a create or update. */
  readonly warnings?: ((object: Draft) => string[]) | undefined;
}

/** `demo.dev/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
