import type { KubeObject } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";

/** A namespace for namespaced kinds, none for the others or for all namespaces. */
export interface Scope {
  readonly namespace?: string | undefined;
}

export interface ObjectKey extends Scope {
  readonly name: string;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the call is given up, 0 for no limit; a transport has a default for each request. Watches are not
   * bounded by it.
   */
  readonly timeout?: number | undefined;
}

export type Subresource = "status" | "scale";

export interface GetOptions extends CallOptions {
  /** `"0"` for anything the server has at hand, a version for nothing older than it, none for the newest. */
  readonly resourceVersion?: string | undefined;
  readonly subresource?: Subresource | undefined;
  /** Only apiVersion, kind and metadata are answered. */
  readonly metadataOnly?: boolean | undefined;
}

/** Which objects of a kind are meant; selectors in kubectl's text form. */
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
  /** Asks for the next page; none on the last. */
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

/** One change, as the server tells it. A BOOKMARK's object has a resourceVersion and little else. */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  /** Who the written fields belong to from now on. */
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  readonly subresource?: Subresource | undefined;
  /** Is told what the server warns of. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface Patch {
  readonly type: "json" | "merge" | "strategic" | "apply";
  readonly body: unknown;
  /** Server-side apply: take fields over from other managers. */
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
 * How an API is reached: a server in the same process, or one across the network. All failures of a request are
 * ApiErrors; what kept it from being answered at all is an ApiError too where HTTP has a word for it, and a
 * {@link ConnectionError} elsewhere. Objects are frozen and may be shared: nobody changes them. An aborted signal rejects
 * with the signal's reason.
 */
export interface Transport extends AsyncDisposable {
  /** Where objects are that do not say their namespace, if the way to the API says so: a kubeconfig's context does. */
  readonly namespace?: string | undefined;
  /** The kinds that a group and version serve. Throws a 404 when it is not served. */
  discover(apiVersion: string, options?: CallOptions): Promise<readonly KindInfo[]>;
  get(kind: KindInfo, target: ObjectKey, options?: GetOptions): Promise<KubeObject>;
  list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page>;
  /**
   * Batches of events in the order they happened, never empty. Throws a 410 when the version asked for is too old; throws
   * when the stream breaks; ends when the server ends it or the signal aborts. Nothing is read ahead without bound.
   */
  watch(kind: KindInfo, scope: Scope, options?: WatchOptions): AsyncIterable<readonly WatchEvent[]>;
  create(kind: KindInfo, scope: Scope, body: unknown, options?: WriteOptions): Promise<KubeObject>;
  update(kind: KindInfo, target: ObjectKey, body: unknown, options?: WriteOptions): Promise<KubeObject>;
  patch(kind: KindInfo, target: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** The object that now waits for its finalizers; undefined when it is gone. */
  delete(kind: KindInfo, target: ObjectKey, options?: DeleteOptions): Promise<KubeObject | undefined>;
  /** The objects as they were before; some may still be there, waiting for their finalizers. */
  deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection?: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KubeObject[]>;
}

/** No answer came: refused, reset, unreachable, a bad certificate. The cause is what the network said. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}
