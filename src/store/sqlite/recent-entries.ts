import type { Entry } from "../store.js";

/** What an entry takes besides its key and value: the objects around it. */
const overhead = 200;

/**
 * The newest entries of some keys, those used last, up to a number of bytes. Most reads are of what was written or
 * read a moment ago, and of what an update replaces; all of these are spared a query.
 *
 * Invariant: an entry in here is the newest of its key. So whoever publishes a commit changes this in the same turn of
 * the event loop, and a read at a revision is answered from here if the entry is not newer than that.
 */
export class RecentEntries {
  readonly #limit: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  set(entry: Entry): void {
    this.delete(entry.key);
    const bytes = sizeOf(entry);
    // One that would push out a good part of the others is not worth it.
    if (bytes > this.#limit / 8) return;
    this.#entries.set(entry.key, entry);
    this.#bytes += bytes;
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= this.#limit) break;
      this.delete(oldest.key);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(entry);
  }
}

function sizeOf({ key, value }: Entry): number {
  return key.length * 2 + value.length + overhead;
}
