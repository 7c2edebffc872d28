import { closeSync, openSync, readSync } from "node:fs";
import { crc32 } from "./checksum.js";
import type { PageSums } from "./page-sums.js";

/** Bytes read at a time, a multiple of every page size. */
const readBytes = 2 ** 20;

/** Part of the pages that have been compared with their checksums. */
export interface PageProgress {
  readonly pages: number;
  readonly of: number;
}

/**
 * Compares pages of a database file with their checksums, a megabyte at a time; returns the numbers of the pages that
 * differ. Pages in the write-ahead log are left out: SQLite reads them from there.
 */
export function* checkPages(
  database: string,
  pageSize: number,
  sums: PageSums,
  inLog: { has(page: number): boolean },
): Generator<PageProgress, number[]> {
  const damaged: number[] = [];
  const file = openSync(database, "r");
  try {
    const buffer = Buffer.alloc(Math.min(readBytes, sums.count * pageSize));
    for (let first = 1; first <= sums.count; first += readBytes / pageSize) {
      const read = readSync(file, buffer, 0, buffer.length, (first - 1) * pageSize);
      const end = Math.min(first + buffer.length / pageSize, sums.count + 1);
      for (let page = first; page < end; page++) {
        if (inLog.has(page)) continue;
        const offset = (page - first) * pageSize;
        const isWhole = offset + pageSize <= read;
        if (!isWhole || crc32(buffer.subarray(offset, offset + pageSize)) !== sums.of(page))
          damaged.push(page);
      }
      yield { pages: end - 1, of: sums.count };
    }
  } finally {
    closeSync(file);
  }
  return damaged;
}
