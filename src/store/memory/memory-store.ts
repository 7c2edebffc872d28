import sortedBTree from "sorted-btree";
import { systemClock, type Clock } from "../../model/time/clock.js";
import { Conflict, FutureRevision, StoreClosed } from "../errors.js";
import { Expiry, type ExpiryIndex } from "../expiry.js";
import { checkMutations, compareKeys } from "../keys.js";
import { readableRevision } from "../readable.js";
import { Retention, type Retained, type RetentionPolicy } from "../retention.js";
import type {
  Mutation,
  Entry,
  RangeOptions,
  RangeResult,
  Store,
  StoreStatus,
  Watch,
  WatchEvent,
  StoreWatchOptions,
} from "../store.js";
import { WatchHub, type HistoryReader } from "../watch/hub.js";

export interface MemoryStoreOptions {
  readonly clock?: Clock | undefined;
  readonly retention?: RetentionPolicy | undefined;
}

/** A version of a key; without an entry it says that the key was deleted. */
interface Version {
  readonly revision: number;
  readonly entry: Entry | undefined;
}

interface Commit {
  readonly revision: number;
  readonly time: number;
  readonly events: readonly WatchEvent[];
}

// The package is CommonJS: its default export is a property of what Node hands us.
const BTree = sortedBTree.default;

/** Commits per page of history that a watch reads. */
const historyPage = 1000;

/**
 * A store in memory: for tests, and for planes whose state may be lost with their process. "Acknowledged" means
 * that readers see it, and nothing more.
 *
 * @example
 * const store = new MemoryStore();
 * await store.commit([{ type: "put", key: "/a", value: new TextEncoder().encode("1"), expect: 0 }]);
 */
export class MemoryStore implements Store {
  /** Every key with its versions since the floor, oldest first; the newest at or before the floor is kept too. */
  readonly #versions = new BTree<string, Version[]>(undefined, compareKeys);
  /** All commits after the floor, oldest first. */
  #commits: Commit[] = [];
  /** The newest entries of keys that do not stay. */
  readonly #expiring = new BTree<Entry, undefined>(undefined, byExpiry);
  readonly #clock: Clock;
  readonly #hub: WatchHub;
  readonly #expiry: Expiry;
  readonly #retention: Retention;
  #revision = 0;
  #floor = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    const view = this.#view();
    this.#hub = new WatchHub(view, this.#revision);
    this.#expiry = new Expiry(this, view, this.#clock);
    this.#retention = new Retention(view, options.retention ?? {}, this.#clock);
  }

  async get(key: string, options: { revision?: number } = {}): Promise<Entry | undefined> {
    return at(this.#versions.get(key), this.#readable(options.revision));
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const revision = this.#readable(options.revision);
    const limit = options.limit ?? Infinity;
    const entries: Entry[] = [];
    for (const entry of this.#entries(options, revision)) {
      if (entries.length === limit) return { entries, revision, more: true };
      entries.push(entry);
    }
    return { entries, revision, more: false };
  }

  async count(options: Omit<RangeOptions, "limit">): Promise<{ count: number; revision: number }> {
    const revision = this.#readable(options.revision);
    let count = 0;
    for (const _ of this.#entries(options, revision)) count++;
    return { count, revision };
  }

  async commit(mutations: readonly Mutation[]): Promise<{ revision: number }> {
    checkMutations(mutations);
    if (this.#closed) throw new StoreClosed();
    for (const { key, expect } of mutations) {
      const actual = this.#newest(key)?.revision ?? 0;
      if (expect !== undefined && expect !== actual) throw new Conflict(key, expect, actual);
    }
    const revision = this.#revision + 1;
    const time = this.#clock.now();
    const events: WatchEvent[] = [];
    for (const mutation of mutations) {
      const event = this.#apply(mutation, revision, time);
      if (event) events.push(event);
    }
    if (events.length === 0) return { revision: this.#revision };
    this.#revision = revision;
    this.#commits.push({ revision, time, events });
    this.#hub.publish(events, revision);
    return { revision };
  }

  watch(options: StoreWatchOptions): Watch {
    return this.#hub.watch(options);
  }

  async compact(revision: number): Promise<void> {
    if (this.#closed) throw new StoreClosed();
    if (revision > this.#revision) throw new FutureRevision(revision, this.#revision);
    if (revision <= this.#floor) return;
    this.#floor = revision;
    const kept = this.#commits.findIndex((commit) => commit.revision > revision);
    const forgotten = this.#commits.splice(0, kept < 0 ? this.#commits.length : kept);
    for (const { events } of forgotten) for (const { key } of events) this.#forget(key);
  }

  async status(): Promise<StoreStatus> {
    return { revision: this.#revision, floor: this.#floor };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expiry.stop();
    this.#retention.stop();
    this.#hub.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #newest(key: string): Entry | undefined {
    return this.#versions.get(key)?.at(-1)?.entry;
  }

  #apply(mutation: Mutation, revision: number, time: number): WatchEvent | undefined {
    const { key } = mutation;
    const previous = this.#newest(key);
    if (mutation.type === "delete") {
      if (previous === undefined) return undefined;
      this.#record(key, { revision, entry: undefined });
      return { type: "delete", key, revision, previous };
    }
    const expires = mutation.ttl === undefined ? undefined : time + mutation.ttl;
    const entry: Entry = {
      key,
      value: mutation.value,
      revision,
      created: previous?.created ?? revision,
      expires,
    };
    this.#record(key, { revision, entry });
    return { type: "put", key, revision, entry, previous };
  }

  #record(key: string, version: Version): void {
    const versions = this.#versions.get(key);
    const replaced = versions?.at(-1)?.entry;
    if (replaced?.expires !== undefined) this.#expiring.delete(replaced);
    if (versions) versions.push(version);
    else this.#versions.set(key, [version]);
    if (version.entry?.expires === undefined) return;
    this.#expiring.set(version.entry, undefined);
    this.#expiry.noticed(version.entry.expires);
  }

  /** Drops the versions of a key that no readable revision shows. */
  #forget(key: string): void {
    const versions = this.#versions.get(key);
    if (versions === undefined) return;
    const shown = versions.findLastIndex((version) => version.revision <= this.#floor);
    versions.splice(0, versions[shown]?.entry === undefined ? shown + 1 : shown);
    if (versions.length === 0) this.#versions.delete(key);
  }

  *#entries({ prefix, after }: RangeOptions, revision: number): Generator<Entry> {
    const start = after !== undefined && compareKeys(after, prefix) >= 0 ? after : prefix;
    for (const [key, versions] of this.#versions.entries(start)) {
      if (!key.startsWith(prefix)) return;
      const entry = key === after ? undefined : at(versions, revision);
      if (entry) yield entry;
    }
  }

  #readable(asked?: number): number {
    if (this.#closed) throw new StoreClosed();
    return readableRevision(asked, { revision: this.#revision, floor: this.#floor });
  }

  /** What history, expiry and retention see of this store. */
  #view(): HistoryReader & ExpiryIndex & Retained {
    return {
      revision: () => this.#revision,
      floor: () => this.#floor,
      read: ({ prefix, after, through: newest }) => {
        const through = Math.min(newest, after + historyPage);
        const commits = this.#commits.slice(after - this.#floor, through - this.#floor);
        const events = commits.flatMap((commit) => commit.events).filter(({ key }) => key.startsWith(prefix));
        return { events, through };
      },
      nextExpiry: () => this.#expiring.minKey()?.expires,
      expired: (now) => {
        const due: Entry[] = [];
        for (const entry of this.#expiring.keys()) {
          if ((entry.expires ?? Infinity) > now) break;
          due.push(entry);
        }
        return due;
      },
      revisionAt: (time) => {
        const younger = this.#commits.findIndex((commit) => commit.time > time);
        return this.#floor + (younger < 0 ? this.#commits.length : younger);
      },
      compact: (revision) => this.compact(revision),
    };
  }
}

/** Soonest first. */
function byExpiry(a: Entry, b: Entry): number {
  return (a.expires ?? Infinity) - (b.expires ?? Infinity) || compareKeys(a.key, b.key);
}

/** The version of a key that a revision shows. */
function at(versions: readonly Version[] | undefined, revision: number): Entry | undefined {
  const newest = versions?.at(-1);
  if (newest === undefined || newest.revision <= revision) return newest?.entry;
  return versions?.findLast((version) => version.revision <= revision)?.entry;
}
