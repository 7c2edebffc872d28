import type { KubeObject } from "../../model/core.js";
import type { AnyKind, KindInfo, ObjectOf } from "../kinds/kind.js";
import type { Selection } from "../transport/transport.js";
import type { ReflectorState } from "./reflector/reflector.js";
import type { Source } from "../source/source.js";

/** Objects that an informer caches. Informers of equal scope share one list, one watch and one cache. */
export interface InformerScope extends Selection {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Fetch and cache metadata only. */
  readonly metadataOnly?: boolean | undefined;
  /**
   * Transforms objects before they are cached, for example to drop managedFields and save memory. Called once per object and
   * version, with a frozen object. Scopes with different functions do not share an informer. Changes that affect only
   * dropped fields are not reported. If it throws, the object is cached unchanged and the error reported.
   */
  readonly transform?: ((object: KubeObject) => KubeObject) | undefined;
}

/**
 * Handle of a shared informer, which stops when its last handle is released. Indexes and subscriptions belong to the handle
 * and end with it; reads then return the last cached objects.
 *
 * Failed lists and watches are retried for as long as the informer is in use; see {@link Informers.states}. A kind that is
 * not served yet is waited for. If a kind disappears, its objects stay in the cache until discovery has denied it for half a
 * minute; then they are DELETED.
 */
export interface Informer<T extends KubeObject = KubeObject> extends Source<T>, Disposable {
  readonly kind: KindInfo;
  /** Version of the newest event or bookmark; empty before the first list. */
  readonly resourceVersion: string;
  release(): void;
}

/** State of an informer, for readiness and metrics. */
export interface InformerState extends Readonly<ReflectorState> {
  readonly kind: KindInfo;
  readonly scope: Omit<InformerScope, "transform">;
  /** Number of handles. */
  readonly users: number;
  readonly synced: boolean;
  readonly size: number;
  readonly resourceVersion: string;
}

/** Context of an error in an informer, which recovers by itself. */
export interface InformerProblem {
  readonly kind: KindInfo;
  readonly scope: InformerScope;
  /** Failed operation: `watching`, `calling a listener for CREATED Site default/hello`. */
  readonly doing: string;
}

/** Shared informers of a process, by kind and scope. */
export interface Informers extends AsyncDisposable {
  /** Opens an informer without waiting for its first list. Throws for an unknown kind or an invalid selector. */
  open<K extends AnyKind>(kind: K, scope?: InformerScope): Promise<Informer<ObjectOf<K>>>;
  /**
   * Puts a written object, as the server returned it, into the caches until the event with its version or a later one
   * arrives. Listeners are called for the event only.
   */
  wrote(kind: KindInfo, object: KubeObject): void;
  /** Hides a deleted object until its event arrives; a new object of the same name (another uid) is visible. */
  removed(
    kind: KindInfo,
    object: {
      readonly namespace?: string | undefined;
      readonly name: string;
      readonly uid?: string | undefined;
    },
  ): void;
  /** True if a cache of the kind is in use. */
  follows(kind: KindInfo): boolean;
  /** States of all running informers. */
  states(): readonly InformerState[];
  /** Stops all informers; pending `ready()` calls reject. */
  close(): Promise<void>;
}

/**
 * Transform that drops managedFields: often half of an object, and only the server needs them. Pass the function itself, so
 * that informers with it are shared.
 *
 * @example
 * await informers.open(Page, { transform: withoutManagedFields });
 */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
