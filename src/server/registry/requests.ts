import type { ObjectKey } from "../../model/object/object-key.js";
import type { User } from "../access/user.js";
import type { AdmissionPlugin } from "../admission/admission.js";
import type { Body, FieldValidation, PatchType } from "../decode/decoded-body.js";
import type { ResourceType, Subresource } from "../resources/resource-type.js";
import type { ObjectResponse } from "../resources/stored-object.js";

/** A request that has been resolved and authorized. For requests about a collection, `name` is empty. */
export interface ResourceRequest<Options> extends ObjectKey {
  readonly user: User;
  readonly type: ResourceType;
  readonly subresource: Subresource | undefined;
  readonly options: Options;
  /** Receives warnings for the client. A repeated write sends the same ones again. */
  readonly warn?: ((text: string) => void) | undefined;
  readonly admission: readonly AdmissionPlugin[];
  readonly signal?: AbortSignal | undefined;
  /** The response to a list may have a `rest`. */
  readonly streams?: boolean | undefined;
}

/** A create or an update; `body` is the object. */
export interface WriteRequest extends ResourceRequest<ServerWriteOptions> {
  readonly body: Body;
}

/** A patch; `body` is the patch. */
export interface PatchRequest extends WriteRequest {
  readonly patchType: PatchType;
}

export interface ServerGetOptions {
  readonly resourceVersion?: string | undefined;
}

/** Kubernetes' ListOptions, with selectors as text. */
export interface ServerListOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: string | undefined;
  /** For watches only. */
  readonly sendInitialEvents?: boolean | undefined;
}

export interface ServerWatchOptions extends Omit<ServerListOptions, "limit" | "continue"> {
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The stream ends after this time; 0 for never. */
  readonly timeoutSeconds?: number | undefined;
}

export interface ServerWriteOptions {
  /** Do everything but commit. */
  readonly dryRun?: boolean | undefined;
  /** Manager that owns the written fields from now on. */
  readonly fieldManager?: string | undefined;
  /** Default: Warn. */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Server-side apply: take fields over from other managers. */
  readonly force?: boolean | undefined;
}

export interface ServerDeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface DeleteCollectionOptions {
  /** Objects that are deleted. */
  readonly selection: ServerListOptions;
  /** How each of them is deleted. */
  readonly deletion: ServerDeleteOptions;
}

/** Position of the next page of a list; empty if there is none. */
export interface ListEnd {
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface ListResponse extends ListEnd {
  readonly items: readonly ObjectResponse[];
  readonly resourceVersion: string;
  /**
   * Further items of a large list, read while they are consumed, so that a list takes up no more memory than its reader lets it. The
   * end of the list is known after them. Only for requests with `streams`, which must read it to its end or return it.
   */
  readonly rest?: AsyncGenerator<readonly ObjectResponse[], ListEnd, undefined> | undefined;
}

/** Outcome of a delete of a collection. */
export interface DeleteCollectionResponse extends ListResponse {
  /** `items` does not have all deleted objects, because they are too large. */
  readonly isPartial: boolean;
}

export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";

/** Change of an object. All watchers of a kind receive the same `object`, so that its encoding can be shared. */
export interface ObjectEvent {
  readonly type: EventType;
  readonly object: ObjectResponse;
}

/** Outcome of a create, update or patch. */
export interface WriteResponse {
  readonly object: ObjectResponse;
  /** The object did not exist before. */
  readonly created: boolean;
}

/** Outcome of a delete. */
export interface DeleteResponse {
  /** Last state of the object, or its present state while it waits for finalizers. */
  readonly object: ObjectResponse;
  /** The object no longer exists. */
  readonly gone: boolean;
  /** The object still waits for finalizers, and the request set `orphanDependents: false`: HTTP responds 202. */
  readonly accepted: boolean;
}
