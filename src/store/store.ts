/**
 * Contract of every store: a map from keys to bytes with one ordered sequence of revisions, whose recent history can
 * be read and watched. `docs/stores.md` explains it in full; `conformance/` checks it.
 *
 * Terms: a **commit** is an atomic set of mutations (puts and deletes). Each commit that changes something gets a
 * **revision**, a number greater than all before it. History can be read back to the **floor**; older history has
 * been compacted.
 */
export interface Store extends AsyncDisposable {
  /**
   * Reads one key, now or at a `revision`.
   *
   * Promise: a read that starts after a commit was acknowledged sees it, and reads never go backwards. A read never
   * returns data that can still be lost or rolled back.
   *
   * @throws {Compacted} when `revision` is below the floor.
   * @throws {FutureRevision} when `revision` does not exist yet.
   */
  get(key: string, options?: { revision?: number }): Promise<Entry | undefined>;

  /**
   * Reads the entries whose keys start with `prefix`, in key order, at one revision: the given one, or the newest
   * when the call starts. All entries are of that revision, however long the call takes.
   *
   * To get the next page after `limit` or `bytes`, pass the last key as `after` and the `revision` of the result.
   *
   * @throws {Compacted} @throws {FutureRevision} as for {@link Store.get}.
   */
  range(options: RangeOptions): Promise<RangeResult>;

  /** Counts the entries that {@link Store.range} without a limit would return, without reading values. */
  count(options: Omit<RangeOptions, "limit" | "bytes">): Promise<{ count: number; revision: number }>;

  /**
   * Applies all mutations at one revision, or none of them.
   *
   * Promise: when the call returns, the commit is as durable as the store makes it (the embedded store has synced it
   * to disk). A commit that fails has changed nothing, unless it fails with {@link Uncertain}. Commits are
   * serialized in the order of their revisions.
   *
   * Deleting a key that does not exist changes nothing; a commit that changes nothing gets no revision.
   *
   * @throws {Conflict} when a key is not at the revision its mutation expects.
   * @throws {InvalidCommit} when the mutations are malformed.
   */
  commit(mutations: readonly Mutation[]): Promise<{ revision: number }>;

  /**
   * Streams the events below `prefix` after revision `from`, first from history, then live.
   *
   * Promise: every matching event exactly once, in order of revision, without a gap between history and live events;
   * all events of one commit arrive in one batch. An event is delivered only when its commit can no longer be lost.
   * All live watchers of a process get the same event objects, so that work such as encoding can be done once.
   *
   * The iterator throws {@link Compacted} when `from` is below the floor, {@link FutureRevision} when it does not
   * exist yet, {@link SlowWatcher} when the reader falls behind by more than the buffer, and {@link StoreClosed}. It
   * ends without an error when the signal aborts or the reader leaves the loop.
   */
  watch(options: StoreWatchOptions): StoreWatch;

  /**
   * Drops history before `revision`, which becomes the floor: the state at the floor and every event after it stay
   * readable. Returns when the floor is in force; space is freed in the background. A revision at or below the
   * current floor changes nothing.
   *
   * @throws {FutureRevision} when `revision` does not exist yet.
   */
  compact(revision: number): Promise<void>;

  /** Newest revision and floor. An empty store is at revision 0. */
  status(): Promise<StoreStatus>;

  /** Ends all watches, waits for pending commits, and releases all resources. Can be called twice. */
  close(): Promise<void>;
}

export interface StoreStatus {
  /** Error of the newest commit if the store could not write it; undefined once a commit was written again. */
  readonly writeError?: Error | undefined;
  /** Newest acknowledged revision. */
  readonly revision: number;
  /** Oldest revision that can be read, and that a watch can start from. */
  readonly floor: number;
}

/** One version of one key. Shared between readers, so its bytes must not be changed. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the commit that wrote this version. */
  readonly revision: number;
  /** Revision at which the key was created; a key that is deleted and put again is created again. */
  readonly created: number;
  /** Time at which the store deletes the key, in milliseconds since 1970. */
  readonly expires?: number | undefined;
}

/** One change to one key in a commit. */
export type Mutation = Put | Delete;

interface Expectation {
  readonly key: string;
  /** Required revision of the key's newest entry; 0: the key must not exist. Default: any. */
  readonly expect?: number | undefined;
}

export interface Put extends Expectation {
  readonly type: "put";
  /** New bytes. They belong to the store from here on and must not be changed. */
  readonly value: Uint8Array;
  /**
   * Time to live in milliseconds. The store deletes the key soon after, by an ordinary commit that watchers see. Every
   * put replaces the time to live of the one before; a put without one makes the key permanent.
   */
  readonly ttl?: number | undefined;
}

export interface Delete extends Expectation {
  readonly type: "delete";
}

export interface RangeOptions {
  readonly prefix: string;
  /** Exclusive lower bound of the keys. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  /** Sum of the values' sizes at which the result ends. It has at least one entry, if there is one. Default: no limit. */
  readonly bytes?: number | undefined;
  readonly revision?: number | undefined;
}

export interface RangeResult {
  readonly entries: readonly Entry[];
  /** Revision at which the entries were read. */
  readonly revision: number;
  /** True when there are more entries than `limit` and `bytes` allow. */
  readonly more: boolean;
}

export interface StoreWatchOptions {
  readonly prefix: string;
  /** Start after this revision. Default: the newest revision at the time of the call. */
  readonly from?: number | undefined;
  /** Events carry the version they replaced. Default: they may or may not. */
  readonly previous?: boolean | undefined;
  /** Backlog at which a slow reader is dropped. */
  readonly buffer?: WatchBuffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchBuffer {
  /** Number of events. Default 10,000. */
  readonly events?: number | undefined;
  /** Sum of the values' sizes. Default 16 MiB. */
  readonly bytes?: number | undefined;
}

export interface StoreWatch extends AsyncIterable<WatchBatch> {
  /**
   * Revision up to which all events have been delivered, including a batch that the reader has not processed yet. A
   * reader that has processed all batches can resume from here. Advances also while nothing below the prefix changes.
   */
  readonly revision: number;
}

export interface WatchBatch {
  /** Never empty, in order of revision. */
  readonly events: readonly StoreEvent[];
  /** Revision up to which all events have been delivered with this batch. */
  readonly revision: number;
}

export type StoreEvent = PutEvent | DeleteEvent;

export interface PutEvent {
  readonly type: "put";
  readonly key: string;
  readonly revision: number;
  readonly entry: Entry;
  /** Replaced version, if the watch requested it; undefined for a new key. */
  readonly previous?: Entry | undefined;
}

export interface DeleteEvent {
  readonly type: "delete";
  readonly key: string;
  readonly revision: number;
  /** Deleted version, if the watch requested it. */
  readonly previous?: Entry | undefined;
}
