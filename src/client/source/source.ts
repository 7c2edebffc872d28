import type { KubeObject } from "../../model/core.js";

/**
 * Type of an {@link ObjectChange}. UPDATED: the spec or the metadata changed. STATUS_UPDATED: nothing but the status
 * changed. Versions that differ only in the server's bookkeeping (resourceVersion, managedFields) are stored but not
 * reported. An object that was replaced by another of the same name is reported as DELETED, then CREATED.
 */
export type ChangeType = "CREATED" | "UPDATED" | "STATUS_UPDATED" | "DELETED";

/** Change of one object, as a {@link Source} reports it. */
export interface ObjectChange<T extends KubeObject = KubeObject> {
  readonly type: ChangeType;
  /** Current object; for DELETED, its last known state. Frozen and shared. */
  readonly object: T;
  /** Previous object as the server had it, without own writes; undefined for CREATED. */
  readonly old?: T | undefined;
  /** True for objects of the first list: they existed before the source started. */
  readonly initial: boolean;
}

/** Function that returns the values under which an index finds an object: the value of a label, the name of an owner. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[];

/** Subscription to changes; ends when released. */
export interface Subscription extends Disposable {
  release(): void;
}

/**
 * View of a set of objects that follows their changes: an informer, which watches an API, or a poller, which lists
 * anything at intervals. Controllers treat both alike. Nothing is copied: all readers get the same frozen objects.
 */
export interface Source<T extends KubeObject = KubeObject> {
  /** True once the first list has arrived. */
  readonly synced: boolean;
  /** Resolves when the source is synced; rejects when it is stopped before that. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Object by key: `namespace/name`, or the name alone for cluster-scoped objects. */
  get(key: string): T | undefined;
  list(namespace?: string): Iterable<T>;
  readonly size: number;
  /** Objects that an index has under a value. Throws when there is no such index. */
  byIndex(index: string, value: string): readonly T[];
  /** Adds an index over present and future objects. Adding the same function under the same name again has no effect. */
  addIndex(name: string, index: IndexFunction<T>): void;
  /**
   * Calls the listener for every present object (CREATED, initial) before it returns, then for every change, in order and
   * never concurrently. Errors of the listener are reported; it goes on receiving changes.
   */
  subscribe(listener: (change: ObjectChange<T>) => void): Subscription;
}
