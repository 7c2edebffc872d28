import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "../integrity/checksum.js";
import { PageSums } from "../integrity/page-sums.js";
import { storeFiles } from "../integrity/store-files.js";
import { framePageOffset, scanWal } from "../integrity/wal-file.js";
import { pageSize } from "../schema.js";

/** Version of a page. */
export interface PageVersion {
  readonly page: number;
  readonly content: Buffer;
  /** The newest version that was committed. */
  readonly isCurrent: boolean;
  /** It has the right checksum. */
  readonly isIntact: boolean;
}

/**
 * Pages of a store that may be damaged, read without SQLite. Frames of the write-ahead log count also after a damaged
 * one, up to the last that ends a transaction: those after it were never committed.
 */
export class SalvagedPages implements Disposable {
  readonly #database: number | undefined;
  readonly #wal: number | undefined;
  readonly #sums: PageSums | undefined;
  /** Committed frames with the right checksum. */
  readonly #frames: { readonly index: number; readonly page: number }[] = [];
  /** Newest frame of each page. */
  readonly #newest = new Map<number, number>();
  /** Pages whose newest version was in a damaged frame, as far as that still tells. */
  readonly #lost = new Set<number>();
  readonly databasePages: number;

  constructor(path: string) {
    const files = storeFiles(path);
    this.#sums = PageSums.read(files.sums, pageSize);
    const { frames } = scanWal(files.wal, pageSize);
    const end = frames.findLastIndex(({ isValid, databasePages }) => isValid && databasePages > 0) + 1;
    for (const [index, { page, isValid }] of frames.slice(0, end).entries()) {
      if (!isValid) this.#lost.add(page);
      else {
        this.#frames.push({ index, page });
        this.#newest.set(page, index);
        this.#lost.delete(page);
      }
    }
    this.#database = existsSync(files.database) ? openSync(files.database, "r") : undefined;
    this.#wal = frames.length > 0 ? openSync(files.wal, "r") : undefined;
    const size = this.#database === undefined ? 0 : fstatSync(this.#database).size;
    this.databasePages = Math.ceil(size / pageSize);
  }

  /** Number of versions that {@link all} yields. */
  get count(): number {
    return this.databasePages + this.#frames.length;
  }

  /** All versions of all pages. Their content is valid until the next one. */
  *all(): Generator<PageVersion, void> {
    const content = Buffer.alloc(pageSize);
    for (let page = 1; page <= this.databasePages; page++) {
      this.#readDatabase(page, content);
      const isIntact = crc32(content) === this.#sums?.of(page);
      yield { page, content, isCurrent: !this.#newest.has(page), isIntact };
    }
    for (const { index, page } of this.#frames) {
      this.#readFrame(index, content);
      yield { page, content, isCurrent: this.#newest.get(page) === index, isIntact: !this.#lost.has(page) };
    }
  }

  /** Newest version of a page; undefined when it does not exist. */
  current(page: number): PageVersion | undefined {
    const content = Buffer.alloc(pageSize);
    const frame = this.#newest.get(page);
    if (frame !== undefined) {
      this.#readFrame(frame, content);
      return { page, content, isCurrent: true, isIntact: !this.#lost.has(page) };
    }
    if (page < 1 || page > this.databasePages) return undefined;
    this.#readDatabase(page, content);
    return { page, content, isCurrent: true, isIntact: crc32(content) === this.#sums?.of(page) };
  }

  [Symbol.dispose](): void {
    if (this.#database !== undefined) closeSync(this.#database);
    if (this.#wal !== undefined) closeSync(this.#wal);
  }

  #readDatabase(page: number, content: Buffer): void {
    content.fill(0);
    if (this.#database !== undefined) readSync(this.#database, content, 0, pageSize, (page - 1) * pageSize);
  }

  #readFrame(frame: number, content: Buffer): void {
    if (this.#wal !== undefined) readSync(this.#wal, content, 0, pageSize, framePageOffset(frame, pageSize));
  }
}
