import { StoreClosed } from "../errors.js";
import type { StoreWatchOptions, StoreWatch, StoreEvent } from "../store.js";
import { Watcher, type LiveBatch } from "./watcher.js";

/** History of a store, from which watches that start in the past catch up. Local stores answer synchronously. */
export interface HistoryReader {
  /** Oldest revision that a watch can start from, as far as this process knows. */
  readonly floor: number;
  /**
   * Reads one page: the events below `prefix` after revision `after`, up to and including revision `through` at most.
   *
   * @throws {Compacted} when the engine no longer has all of them. The hub compares `after` with {@link floor} before
   * and after the read, so a store that raises its floor before it deletes anything need not check.
   */
  read(request: HistoryRequest): HistoryPage | Promise<HistoryPage>;
  /**
   * Waits until `revision` has been published to the hub, if there is such a commit. For stores to which others commit
   * as well: a client may learn of a revision before this process does. Left out: there are no such commits.
   */
  reach?(revision: number, signal: AbortSignal): Promise<void>;
}

export interface HistoryRequest {
  readonly prefix: string;
  readonly after: number;
  readonly through: number;
  /** Events carry the version they replaced. */
  readonly previous: boolean;
  /** Aborts when the watch ends; the result is ignored from then on. */
  readonly signal: AbortSignal;
}

/** Bounded part of history, made of whole commits. */
export interface HistoryPage {
  readonly events: readonly StoreEvent[];
  /** Revision up to which the page has all events: greater than `after`, at most the requested `through`. */
  readonly through: number;
}

/**
 * Distributes published events to the watchers of one process.
 *
 * Watchers of the same prefix form a group, and groups are found by the length of their prefix: an event costs one
 * look-up per distinct length, and a watcher costs one queue entry per batch, whatever else is watched.
 */
export class WatchHub {
  readonly history: HistoryReader;
  readonly #groups = new Map<number, Map<string, Set<Watcher>>>();
  readonly #watchers = new Set<Watcher>();
  #membersWithPrevious = 0;
  #published: number;
  #closed = false;

  /** `revision` is the newest revision of the store, as if it had just been published. */
  constructor(history: HistoryReader, revision: number) {
    this.history = history;
    this.#published = revision;
  }

  /** Newest published revision. */
  get published(): number {
    return this.#published;
  }

  /** True when published events would reach a watcher; if not, a store need not make them. */
  get hasMembers(): boolean {
    return this.#groups.size > 0;
  }

  /** True when some watcher wants the replaced versions in published events; if not, a store need not look them up. */
  get wantsPrevious(): boolean {
    return this.#membersWithPrevious > 0;
  }

  watch(options: StoreWatchOptions): StoreWatch {
    return new Watcher(this, options);
  }

  /**
   * Distributes the events of one or more whole commits, the newest of which has the given revision. Must be called for every
   * commit, with no events when {@link hasMembers} is false.
   */
  publish(events: readonly StoreEvent[], revision: number): void {
    const since = this.#published;
    this.#published = revision;
    for (const [length, prefixes] of this.#groups) {
      for (const [prefix, matching] of partition(events, length, prefixes)) {
        const batch = liveBatch(matching, since, revision);
        for (const watcher of prefixes.get(prefix) ?? []) watcher.push(batch);
      }
    }
  }

  /** Ends all watches with an error: their next events cannot be read. */
  fail(failure: Error): void {
    for (const watcher of this.#watchers) watcher.fail(failure);
  }

  close(): void {
    this.#closed = true;
    this.fail(new StoreClosed());
  }

  /** Registers a watcher whose reader has called `next()`, so that {@link fail} reaches it. */
  add(watcher: Watcher): void {
    if (this.#closed) throw new StoreClosed();
    this.#watchers.add(watcher);
  }

  remove(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  /** Makes a watcher a member of its group: from now on it gets every published batch. */
  join(watcher: Watcher): void {
    const { prefix } = watcher;
    const prefixes = this.#groups.get(prefix.length) ?? new Map<string, Set<Watcher>>();
    this.#groups.set(prefix.length, prefixes);
    const group = prefixes.get(prefix) ?? new Set();
    prefixes.set(prefix, group);
    group.add(watcher);
    if (watcher.previous) this.#membersWithPrevious++;
  }

  leave(watcher: Watcher): void {
    const { prefix } = watcher;
    const prefixes = this.#groups.get(prefix.length);
    const group = prefixes?.get(prefix);
    group?.delete(watcher);
    if (group?.size === 0) prefixes?.delete(prefix);
    if (prefixes?.size === 0) this.#groups.delete(prefix.length);
    if (watcher.previous) this.#membersWithPrevious--;
  }
}

/** Events of each watched prefix of one length, in order. */
function partition(
  events: readonly StoreEvent[],
  length: number,
  prefixes: ReadonlyMap<string, unknown>,
): Map<string, StoreEvent[]> {
  const found = new Map<string, StoreEvent[]>();
  for (const event of events) {
    const prefix = event.key.slice(0, length);
    const list = found.get(prefix);
    if (list) list.push(event);
    else if (prefixes.has(prefix)) found.set(prefix, [event]);
  }
  return found;
}

function liveBatch(events: readonly StoreEvent[], since: number, revision: number): LiveBatch {
  let bytes = 0;
  for (const event of events) if (event.type === "put") bytes += event.entry.value.byteLength;
  return { events, since, revision, bytes };
}
