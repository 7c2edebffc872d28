import sortedBTree from "sorted-btree";
import { Conflict } from "../errors.js";
import type { ExpiryIndex } from "../expiry.js";
import { compareKeys } from "../keys.js";
import type { Retained } from "../retention.js";
import type { Entry, Mutation, RangeOptions, StoreEvent } from "../store.js";
import type { HistoryPage, HistoryReader, HistoryRequest } from "../watch/hub.js";

/** One version of a key; without an entry, the key was deleted. */
interface Version {
  readonly revision: number;
  readonly entry: Entry | undefined;
}

interface Commit {
  readonly revision: number;
  readonly time: number;
  readonly events: readonly StoreEvent[];
}

// The package is CommonJS: Node exposes its default export as a property.
const BTree = sortedBTree.default;

/** Commits per page of history that a watch reads. */
const historyPage = 1000;

/**
 * State of a {@link MemoryStore}. Several stores can share one engine, like several servers that share a database.
 *
 * Revisions have no gaps, so the commit at a revision is found by its distance from the floor.
 */
export class MemoryEngine implements HistoryReader, ExpiryIndex, Retained {
  /** Called after every commit that changed something. */
  readonly listeners = new Set<(events: readonly StoreEvent[], revision: number) => void>();
  /** Versions of each key since the floor, oldest first, including the one that is current at the floor. */
  readonly #versions = new BTree<string, Version[]>(undefined, compareKeys);
  /** Commits after the floor, oldest first. */
  #commits: Commit[] = [];
  /** Newest entries that have a time to live, those that expire first in front. */
  readonly #expiring = new BTree<Entry, undefined>(undefined, byExpiry);
  #revision = 0;
  #floor = 0;

  get revision(): number {
    return this.#revision;
  }

  get floor(): number {
    return this.#floor;
  }

  get(key: string, revision: number): Entry | undefined {
    return entryAt(this.#versions.get(key), revision);
  }

  *entries({ prefix, after }: RangeOptions, revision: number): Generator<Entry> {
    const start = after !== undefined && compareKeys(after, prefix) >= 0 ? after : prefix;
    for (const [key, versions] of this.#versions.entries(start)) {
      if (!key.startsWith(prefix)) return;
      const entry = key === after ? undefined : entryAt(versions, revision);
      if (entry) yield entry;
    }
  }

  /** Applies a commit and returns the newest revision, which is its own if it changed something. */
  commit(mutations: readonly Mutation[], time: number): number {
    for (const { key, expect } of mutations) {
      const actual = this.#newest(key)?.revision ?? 0;
      if (expect !== undefined && expect !== actual) throw new Conflict(key, expect, actual);
    }
    const revision = this.#revision + 1;
    const events: StoreEvent[] = [];
    for (const mutation of mutations) {
      const event = this.#apply(mutation, revision, time);
      if (event) events.push(event);
    }
    if (events.length === 0) return this.#revision;
    this.#revision = revision;
    this.#commits.push({ revision, time, events });
    for (const listener of this.listeners) listener(events, revision);
    return revision;
  }

  compact(revision: number): void {
    if (revision <= this.#floor) return;
    const compacted = this.#commits.splice(0, revision - this.#floor);
    this.#floor = revision;
    for (const { events } of compacted) for (const { key } of events) this.#dropUnreadable(key);
  }

  read({ prefix, after, through: newest }: HistoryRequest): HistoryPage {
    const through = Math.min(newest, after + historyPage);
    const commits = this.#commits.slice(after - this.#floor, through - this.#floor);
    const events = commits.flatMap((commit) => commit.events).filter(({ key }) => key.startsWith(prefix));
    return { events, through };
  }

  nextExpiry(): number | undefined {
    return this.#expiring.minKey()?.expires;
  }

  expired(now: number): Entry[] {
    const due: Entry[] = [];
    for (const entry of this.#expiring.keys()) {
      if ((entry.expires ?? Infinity) > now) break;
      due.push(entry);
    }
    return due;
  }

  revisionAt(time: number): number {
    const younger = this.#commits.findIndex((commit) => commit.time > time);
    return this.#floor + (younger < 0 ? this.#commits.length : younger);
  }

  #newest(key: string): Entry | undefined {
    return this.#versions.get(key)?.at(-1)?.entry;
  }

  #apply(mutation: Mutation, revision: number, time: number): StoreEvent | undefined {
    const { key } = mutation;
    const previous = this.#newest(key);
    if (mutation.type === "delete") {
      if (previous === undefined) return undefined;
      this.#record(key, { revision, entry: undefined });
      return { type: "delete", key, revision, previous };
    }
    const { value, ttl } = mutation;
    const expires = ttl === undefined ? undefined : time + ttl;
    const entry: Entry = { key, value, revision, created: previous?.created ?? revision, expires };
    this.#record(key, { revision, entry });
    return { type: "put", key, revision, entry, previous };
  }

  #record(key: string, version: Version): void {
    const versions = this.#versions.get(key);
    const replaced = versions?.at(-1)?.entry;
    if (replaced?.expires !== undefined) this.#expiring.delete(replaced);
    if (versions) versions.push(version);
    else this.#versions.set(key, [version]);
    if (version.entry?.expires !== undefined) this.#expiring.set(version.entry, undefined);
  }

  /** Drops the versions of a key that cannot be read at any revision since the floor. */
  #dropUnreadable(key: string): void {
    const versions = this.#versions.get(key);
    if (versions === undefined) return;
    const current = versions.findLastIndex((version) => version.revision <= this.#floor);
    versions.splice(0, versions[current]?.entry === undefined ? current + 1 : current);
    if (versions.length === 0) this.#versions.delete(key);
  }
}

function byExpiry(a: Entry, b: Entry): number {
  return (a.expires ?? Infinity) - (b.expires ?? Infinity) || compareKeys(a.key, b.key);
}

/** Entry that a key has at a revision. */
function entryAt(versions: readonly Version[] | undefined, revision: number): Entry | undefined {
  const newest = versions?.at(-1);
  if (newest === undefined || newest.revision <= revision) return newest?.entry;
  return versions?.findLast((version) => version.revision <= revision)?.entry;
}
