import type { KubeObject } from "../../model/core.js";

/**
 * What happened to an object: UPDATED when its desired state or its metadata changed, STATUS_UPDATED when nothing but its
 * status did. A version in which only the server's bookkeeping differs (resourceVersion, managedFields) is read but not
 * told. An object that takes the place of another of its name is a DELETED and a CREATED.
 */
export type ChangeType = "CREATED" | "UPDATED" | "STATUS_UPDATED" | "DELETED";

export interface Change<T extends KubeObject = KubeObject> {
  readonly type: ChangeType;
  /** The object as it is now; its last known state when it was deleted. Frozen and shared. */
  readonly object: T;
  /** The object as the source had it before, own writes apart; none for CREATED. */
  readonly old?: T | undefined;
  /** It was there before anybody looked: part of the first list. */
  readonly initial: boolean;
}

/** `namespace/name`, or the name alone for objects without a namespace. */
export type ObjectKey = string;

/** A function over an object that says under which values it is found: the value of a label, the name of an owner. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: T) => readonly string[];

/** The right to be told of changes; ends when released. */
export interface Subscription extends Disposable {
  release(): void;
}

/**
 * A view of a set of objects that follows their changes: an informer, which watches an API, or a poller, which lists
 * anything at intervals. Controllers cannot tell them apart. Nothing is copied: all readers get the same frozen objects.
 */
export interface Source<T extends KubeObject = KubeObject> {
  /** Whether the first list has arrived. */
  readonly synced: boolean;
  /** Resolves when it has; rejects when the source was stopped before. */
  ready(signal?: AbortSignal): Promise<void>;
  get(key: ObjectKey): T | undefined;
  list(namespace?: string): Iterable<T>;
  readonly size: number;
  /** Objects that an index has under a value. Throws when there is no such index. */
  byIndex(index: string, value: string): readonly T[];
  /** Adds an index, also over what is there already; the same name with the same function is added once. */
  addIndex(name: string, index: IndexFunction<T>): void;
  /**
   * Calls back for everything that is there (CREATED, initial), before this returns, then for every change, in order, never
   * concurrently. A listener that throws is reported, and goes on being told.
   */
  subscribe(listener: (change: Change<T>) => void): Subscription;
}
