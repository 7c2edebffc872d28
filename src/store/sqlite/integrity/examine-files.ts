import { existsSync, statSync } from "node:fs";
import { pageSize } from "../schema.js";
import { checkPages, type PageProgress } from "./check-pages.js";
import { listNumbers, type StoreProblem } from "./damage.js";
import { readHighWaterMark, type HighWaterMark } from "./high-water-mark.js";
import { PageSums } from "./page-sums.js";
import { storeFiles } from "./store-files.js";
import { scanWal, type WalScan } from "./wal-file.js";

/** State of the files of a store. */
export interface FileReport {
  readonly problems: readonly StoreProblem[];
  /** Parts that are intact, in words. */
  readonly intact: readonly string[];
  /** Undefined when it cannot be read. */
  readonly mark: HighWaterMark | undefined;
  readonly wal: WalScan;
  /** Pages of the database file that are not what was written. */
  readonly damagedPages: readonly number[];
}

/**
 * Examines the files of a store without opening the database: SQLite trusts what it reads, and treats the rest of a
 * damaged write-ahead log as if it had never been written. Changes nothing.
 */
export function* examineFiles(database: string): Generator<PageProgress, FileReport> {
  const files = storeFiles(database);
  const problems: StoreProblem[] = [];
  const intact: string[] = [];
  const report = (file: string, message: string): unknown => problems.push({ file, message });
  const read = readHighWaterMark(files.mark);
  const mark = typeof read === "string" ? undefined : read;
  if (typeof read === "string")
    report("store.mark", `store.mark, which says what the store has to have, is ${read}`);
  const wal = scanWal(files.wal, pageSize);
  if (wal.damage !== undefined) {
    const { firstInvalid, transactionsAfter } = wal.damage;
    report(
      "store.db-wal",
      `the write-ahead log store.db-wal is damaged at frame ${firstInvalid + 1}, before ${transactionsAfter} transactions that are whole`,
    );
  }
  const damagedPages: number[] = [];
  const sums = PageSums.read(files.sums, pageSize);
  if (sums === undefined) {
    report(
      "store.sums",
      `store.sums, the checksums of store.db, is ${existsSync(files.sums) ? "damaged" : "missing"}`,
    );
  } else if (mark?.pages !== undefined && !isDigest(sums, mark.pages)) {
    report("store.sums", "store.sums, the checksums of store.db, is damaged");
  } else if (existsSync(database)) {
    damagedPages.push(...(yield* checkPages(database, pageSize, sums, wal.pages)));
    if (damagedPages.length > 0) {
      const numbers = listNumbers(damagedPages);
      const text =
        damagedPages.length === 1
          ? `page ${numbers} of store.db does not match its checksum`
          : `pages ${numbers} of store.db do not match their checksums`;
      report("store.db", text);
    }
    intact.push(`${sums.count - damagedPages.length} of ${sums.count} pages of store.db`);
  }
  const size = statSync(database, { throwIfNoEntry: false })?.size;
  if (size === undefined) report("store.db", "store.db is missing");
  else if (mark?.pages !== undefined && size > mark.pages.count * pageSize && wal.committed === 0) {
    report("store.db", `store.db is ${size} bytes long and should be ${mark.pages.count * pageSize}`);
  }
  if (wal.frames.length > 0) intact.push(`${wal.committed} of ${wal.frames.length} frames of store.db-wal`);
  return { problems, intact, mark, wal, damagedPages };
}

function isDigest(sums: PageSums, { count, digest }: NonNullable<HighWaterMark["pages"]>): boolean {
  return sums.count === count && sums.digest() === digest;
}

/** Problem of a store whose log ends elsewhere than its mark says; undefined when there is none. */
export function compareWithMark(
  mark: HighWaterMark,
  newest: { readonly revision: number; readonly chain: number },
): StoreProblem | undefined {
  const { state, revision, chain } = mark;
  const file = "store.db";
  if (newest.revision < revision)
    return {
      file,
      message: `the log ends at revision ${newest.revision}, but revision ${revision} was committed`,
    };
  if (state === "closed" && newest.revision > revision)
    return {
      file,
      message: `the log ends at revision ${newest.revision}, but the store was closed at ${revision}`,
    };
  if (newest.revision === revision && newest.chain !== chain)
    return { file, message: `the log up to revision ${revision} is not the one that was committed` };
  return undefined;
}
