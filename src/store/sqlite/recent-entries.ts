import type { Entry } from "../store.js";

/** What an entry takes besides its key and value: the objects around it. */
const overhead = 200;

/**
 * The newest entries of some keys, those used last, up to a number of bytes. Most reads are of what was written or
 * read a moment ago, and of what an update replaces; all of these are spared a query.
 *
 * Invariant: what is found in here is the newest entry of its key (an older one may be hidden behind it). So whoever
 * publishes a commit changes this in the same turn of the event loop, and a read at a revision is answered from here if
 * the entry is not newer than that.
 *
 * There are two generations. What is used is in the young one, or moves there from the old one. When the young one has
 * grown to half of the limit it becomes the old one, and what was not used since is forgotten: nearly what a list in the
 * order of use would forget, without the cost of keeping one.
 */
export class RecentEntries {
  readonly #limit: number;
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  /** What the young ones take. */
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
    // One that would push out a good part of the others is not worth it.
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
