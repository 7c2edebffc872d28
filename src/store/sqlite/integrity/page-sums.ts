import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { crc32 } from "./checksum.js";
import { visitWalPages } from "./wal-file.js";

/** Length of the header: a line of text with the number of pages. */
const headerBytes = 64;

/** Checksums written at a time. */
const blockEntries = 1024;

/**
 * Checksums of the pages of a database file, in a file of their own: SQLite's pages have none, and a page that lost its
 * cells would otherwise read as rows that were never there.
 *
 * Invariant: a page that is not in the write-ahead log has the checksum that is stored here. Pages in the log may have
 * any: SQLite reads them from there. So the checksums are stored after a checkpoint has written the pages and before the
 * log starts again, and a crash in between needs no repair.
 */
export class PageSums {
  readonly #path: string;
  readonly #pageSize: number;
  #sums: Int32Array;
  #count: number;
  /** Indexes of the blocks that are not stored yet. */
  readonly #changed = new Set<number>();

  private constructor(path: string, pageSize: number, sums: Int32Array, count: number) {
    this.#path = path;
    this.#pageSize = pageSize;
    this.#sums = sums;
    this.#count = count;
  }

  /** Creates the file for a database that nobody has open. */
  static create(path: string, database: string, pageSize: number): PageSums {
    const sums = new PageSums(path, pageSize, new Int32Array(0), 0);
    closeSync(openSync(path, "w", 0o600));
    const file = openSync(database, "r");
    try {
      sums.#addFrom(file, new Set());
    } finally {
      closeSync(file);
    }
    sums.#save();
    return sums;
  }

  /** Returns undefined when the file is missing, or is not one of checksums. */
  static read(path: string, pageSize: number): PageSums | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    const [, text = "", count] =
      /^\w{8} (Fettle page sums 1: (\d+))/.exec(bytes.toString("latin1", 0, headerBytes)) ?? [];
    if (count === undefined || bytes.compare(headerOf(text), 0, headerBytes, 0, headerBytes) !== 0)
      return undefined;
    const stored = Math.min(Number(count), Math.floor((bytes.length - headerBytes) / 4));
    const sums = new Int32Array(stored);
    for (let at = 0; at < stored; at++) sums[at] = bytes.readInt32LE(headerBytes + 4 * at);
    return new PageSums(path, pageSize, sums, Number(count));
  }

  /** Number of pages. */
  get count(): number {
    return this.#count;
  }

  /** Checksum of a page, the first being 1; undefined when the file ends before it. */
  of(page: number): number | undefined {
    return this.#sums[page - 1];
  }

  /** Checksum of all checksums. */
  digest(): number {
    return crc32(this.#encode(0, this.#count));
  }

  /**
   * Stores the checksums of the pages in a write-ahead log of which a checkpoint has written everything. `file` is the
   * open database.
   */
  updateFromWal(wal: string, frames: number, file: number): void {
    const added = new Set<number>();
    visitWalPages(wal, frames, this.#pageSize, (page, content) => {
      this.#set(page, crc32(content));
      if (page > this.#count) added.add(page);
    });
    this.#addFrom(file, added);
    this.#save();
  }

  /** Adds the pages after the last one except `known`. SQLite does not log a new page that is free again at once. */
  #addFrom(file: number, known: ReadonlySet<number>): void {
    const count = Math.floor(fstatSync(file).size / this.#pageSize);
    const content = Buffer.alloc(this.#pageSize);
    for (let page = this.#count + 1; page <= count; page++) {
      if (known.has(page)) continue;
      readSync(file, content, 0, content.length, (page - 1) * content.length);
      this.#set(page, crc32(content));
    }
    this.#count = Math.max(this.#count, count);
  }

  #set(page: number, sum: number): void {
    if (page > this.#sums.length) {
      const grown = new Int32Array(Math.max(page, 2 * this.#sums.length));
      grown.set(this.#sums);
      this.#sums = grown;
    }
    this.#sums[page - 1] = sum;
    this.#changed.add(Math.floor((page - 1) / blockEntries));
  }

  #save(): void {
    if (this.#changed.size === 0) return;
    const file = openSync(this.#path, "r+");
    try {
      for (const block of this.#changed) {
        const first = block * blockEntries;
        const bytes = this.#encode(first, Math.min(first + blockEntries, this.#count));
        writeSync(file, bytes, 0, bytes.length, headerBytes + 4 * first);
      }
      // Last, so that the number never exceeds what has been written.
      writeSync(file, headerOf(`Fettle page sums 1: ${this.#count}`), 0, headerBytes, 0);
      fsyncSync(file);
      this.#changed.clear();
    } finally {
      closeSync(file);
    }
  }

  #encode(first: number, end: number): Buffer {
    const bytes = Buffer.alloc(4 * (end - first));
    for (let at = first; at < end; at++) bytes.writeInt32LE(this.#sums[at] ?? 0, 4 * (at - first));
    return bytes;
  }
}

function headerOf(text: string): Buffer {
  const sum = (crc32(Buffer.from(text, "latin1")) >>> 0).toString(16).padStart(8, "0");
  return Buffer.from(`${sum} ${text}`.padEnd(headerBytes - 1, " ") + "\n", "latin1");
}
