import type { Entry } from "../store.js";

/** Estimated bytes of an entry besides its key and value. */
const overhead = 200;

/**
 * Cache of recently used entries, bounded in bytes. Most reads are of entries that were written or read a moment ago or
 * that an update replaces; the cache saves them a query.
 *
 * Invariant: `get` returns the newest entry of a key or nothing. The store updates the cache in the same turn of the
 * event loop in which it publishes a commit. A read at a revision can use an entry that is not newer than the revision.
 *
 * There are two generations. An entry that is used is put into the young one. When the young one has grown to half of
 * the limit, it replaces the old one. This evicts nearly the same entries as a list in order of use, at less cost.
 */
export class RecentEntries {
  readonly #limit: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  /** Size of the young generation. */
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Entry | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(old);
    return old;
  }

  set(entry: Entry): void {
    const bytes = sizeOf(entry);
    // Too large: it would evict a good part of the others.
    if (bytes > this.#limit / 8) return this.delete(entry.key);
    const before = this.#young.get(entry.key);
    this.#young.set(entry.key, entry);
    this.#bytes += before === undefined ? bytes : bytes - sizeOf(before);
    if (this.#bytes <= this.#limit / 2) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#bytes = 0;
  }

  delete(key: string): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#young.delete(key);
      this.#bytes -= sizeOf(young);
    }
    this.#old.delete(key);
  }
}

function sizeOf({ key, value }: Entry): number {
  return key.length * 2 + value.length + overhead;
}
