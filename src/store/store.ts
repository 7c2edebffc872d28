/**
 * The contract every store keeps: a map from keys to bytes with one ordered sequence of revisions, whose
 * recent history can be read and watched. `docs/stores.md` explains it at length; `conformance/` checks it.
 *
 * Words: a **commit** is an atomic set of mutations (puts and deletes). Each commit that changes anything takes a **revision**, a
 * number greater than all before it. History can be read back to the **floor**; what lies before it has been
 * compacted away.
 */
export interface Store extends AsyncDisposable {
  /**
   * Reads one key, now or as it was at `revision`.
   *
   * Promise: a read that starts after a commit was acknowledged sees it, and reads never go backwards. What a
   * read shows has been acknowledged or will be: it is never taken back.
   *
   * @throws {Compacted} when `revision` lies before the floor.
   * @throws {FutureRevision} when `revision` has not happened yet.
   */
  get(key: string, options?: { revision?: number }): Promise<Entry | undefined>;

  /**
   * Reads the entries whose keys start with `prefix`, in key order, as of one revision: the given one, or the
   * newest when the call starts. All entries are of that revision, however long the call takes.
   *
   * To read on where `limit` cut the answer, pass the last key as `after` and the answer's `revision`.
   *
   * @throws {Compacted} @throws {FutureRevision} as for {@link Store.get}.
   */
  range(options: RangeOptions): Promise<RangeResult>;

  /** Counts what {@link Store.range} without a limit would return, without reading values. */
  count(options: Omit<RangeOptions, "limit">): Promise<{ count: number; revision: number }>;

  /**
   * Applies all mutations at one revision, or none of them.
   *
   * Promise: when the call returns, the commit is as durable as the store ever makes it (for the embedded
   * store: synced to disk). A commit that was refused or failed has changed nothing, unless it failed with
   * {@link Uncertain}. Two commits never interleave: their order is the order of their revisions.
   *
   * A delete of a key that does not exist changes nothing; a commit that changes nothing takes no revision.
   *
   * @throws {Conflict} when a key is not at the revision its mutation expects.
   * @throws {InvalidCommit} when the mutations themselves are not acceptable.
   */
  commit(mutations: readonly Mutation[]): Promise<{ revision: number }>;

  /**
   * Follows the changes below `prefix` that come after revision `from`, first out of history, then live.
   *
   * Promise: every matching change exactly once, in order of revision, with no gap between history and live;
   * all changes of one commit arrive in one batch. A change is seen only when it can no longer be lost. In one
   * process all live watchers are handed the same event objects, so what is computed for one (an encoding, a
   * frame) can be kept for all.
   *
   * The iterator throws {@link Compacted} when `from` lies before the floor, {@link FutureRevision} when it
   * has not happened yet, {@link SlowWatcher} when the reader fell behind by more than the buffer, and
   * {@link StoreClosed}. It ends quietly when the signal aborts or the loop over it is left.
   */
  watch(options: StoreWatchOptions): Watch;

  /**
   * Forgets history before `revision`, which becomes the floor: the state at the floor and every change after
   * it stay readable. Returns when the floor is in force; space is given back in the background. A revision at
   * or below the present floor changes nothing.
   *
   * @throws {FutureRevision} when `revision` has not happened yet.
   */
  compact(revision: number): Promise<void>;

  /** Where the sequence of revisions stands. An empty store is at revision 0. */
  status(): Promise<StoreStatus>;

  /** Ends all watches, waits for commits under way, and gives everything back. Safe to call twice. */
  close(): Promise<void>;
}

export interface StoreStatus {
  /** The newest acknowledged revision. */
  readonly revision: number;
  /** The oldest revision that can still be read; a watch can start from it. */
  readonly floor: number;
}

/** One version of one key. Shared between readers: never change its bytes. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this version. */
  readonly revision: number;
  /** The revision at which the key came into being; it starts anew when the key is deleted and put again. */
  readonly created: number;
  /** When the key will be deleted by itself, in milliseconds since 1970. */
  readonly expires?: number | undefined;
}

export type Mutation = Put | Delete;

interface Expectation {
  readonly key: string;
  /** The revision the key must be at: that of its newest entry, or 0 when it must not exist. Left out: any. */
  readonly expect?: number | undefined;
}

export interface Put extends Expectation {
  readonly type: "put";
  /** The new bytes. They belong to the store from here on; do not change them. */
  readonly value: Uint8Array;
  /**
   * Milliseconds after which the key is deleted by itself, by an ordinary commit that watchers see: not before,
   * and soon after. Every put sets it anew; a put without it makes the key stay.
   */
  readonly ttl?: number | undefined;
}

export interface Delete extends Expectation {
  readonly type: "delete";
}

export interface RangeOptions {
  readonly prefix: string;
  /** Only keys behind this one, itself left out. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly revision?: number | undefined;
}

export interface RangeResult {
  readonly entries: readonly Entry[];
  /** The revision the entries are of. */
  readonly revision: number;
  /** Whether `limit` cut the answer short. */
  readonly more: boolean;
}

export interface StoreWatchOptions {
  readonly prefix: string;
  /** Changes after this revision. Left out: those after now. */
  readonly from?: number | undefined;
  /** Whether events carry the version they replaced. */
  readonly previous?: boolean | undefined;
  /** How far a reader may fall behind before it is dropped. */
  readonly buffer?: WatchBuffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WatchBuffer {
  /** Default 10,000. */
  readonly events?: number | undefined;
  /** Bytes of values waiting, default 16 MiB. */
  readonly bytes?: number | undefined;
}

export interface Watch extends AsyncIterable<WatchBatch> {
  /**
   * Everything up to this revision has been handed out, a batch that the reader has yet to look at included: who has
   * dealt with all batches so far can come back later and start from here. It moves on also while nothing below the
   * prefix changes.
   */
  readonly revision: number;
}

export interface WatchBatch {
  /** Never empty, in order of revision. */
  readonly events: readonly WatchEvent[];
  /** Everything up to here has been handed out with this batch. */
  readonly revision: number;
}

export type WatchEvent = PutEvent | DeleteEvent;

export interface PutEvent {
  readonly type: "put";
  readonly key: string;
  readonly revision: number;
  readonly entry: Entry;
  /** The version that was replaced, where the watch asked for it; never there for a new key. */
  readonly previous?: Entry | undefined;
}

export interface DeleteEvent {
  readonly type: "delete";
  readonly key: string;
  readonly revision: number;
  /** The last version, where the watch asked for it. */
  readonly previous?: Entry | undefined;
}
