import type { KubeObject } from "../../model/core.js";
import type { ObjectKey, Scope } from "../../model/object/object-key.js";
import type { KindInfo } from "../kinds/kind.js";

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout in milliseconds, 0 for none. Default: the transport's. Does not apply to watches.
   */
  readonly timeout?: number | undefined;
}

export type Subresource = "status" | "scale";

export interface GetOptions extends CallOptions {
  /** `"0"` for any cached version, a version for that or a newer one. Default: the newest. */
  readonly resourceVersion?: string | undefined;
  readonly subresource?: Subresource | undefined;
  /** Return only apiVersion, kind and metadata. */
  readonly metadataOnly?: boolean | undefined;
}

/** Selectors in kubectl's syntax. */
export interface Selection {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection, CallOptions {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** A list, or one page of it. */
export interface Page<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Token of the next page; undefined on the last. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** Event of a watch. The object of a BOOKMARK has only a resourceVersion. */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /** Owner of the written fields. */
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  readonly subresource?: Subresource | undefined;
  /** Called for each warning of the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface Patch {
  readonly type: "json" | "merge" | "strategic" | "apply";
  readonly body: unknown;
  /** Server-side apply: take ownership of fields of other managers. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * Access to an API server, in the same process or over the network. Failed requests reject with an ApiError, requests
 * without a response with a {@link ConnectionError} (with an ApiError where HTTP has a status for it, such as 504). Returned
 * objects are frozen and may be shared. When the signal aborts, calls reject with its reason.
 */
export interface Transport extends AsyncDisposable {
  /** Default namespace, such as that of a kubeconfig's context. */
  readonly namespace?: string | undefined;
  /** Kinds of a group and version. Throws a 404 when it is not served. */
  discover(apiVersion: string, options?: CallOptions): Promise<readonly KindInfo[]>;
  get(kind: KindInfo, target: ObjectKey, options?: GetOptions): Promise<KubeObject>;
  list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page>;
  /**
   * Batches of events in order, never empty. Throws a 410 when the requested version is too old; throws when the connection
   * breaks; ends when the server ends the stream or the signal aborts. Buffering is bounded.
   */
  watch(kind: KindInfo, scope: Scope, options?: WatchOptions): AsyncIterable<readonly WatchEvent[]>;
  create(kind: KindInfo, scope: Scope, body: unknown, options?: WriteOptions): Promise<KubeObject>;
  update(kind: KindInfo, target: ObjectKey, body: unknown, options?: WriteOptions): Promise<KubeObject>;
  patch(kind: KindInfo, target: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** Resolves with the object while finalizers remain, with undefined when it is gone. */
  delete(kind: KindInfo, target: ObjectKey, options?: DeleteOptions): Promise<KubeObject | undefined>;
  /** Resolves with the objects as they were before; some may remain until their finalizers are removed. */
  deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection?: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KubeObject[]>;
}

/** No response: connection refused, reset, unreachable, invalid certificate. The cause is the error of the network. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}
