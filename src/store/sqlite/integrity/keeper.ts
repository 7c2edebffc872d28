import { closeSync, openSync, statSync } from "node:fs";
import { openDatabase, type Database } from "../engine.js";
import { pageSize } from "../schema.js";
import { HighWaterFile } from "./high-water-mark.js";
import { PageSums } from "./page-sums.js";
import { storeFiles } from "./store-files.js";

/** Milliseconds after which a mark is synced. */
const syncAfter = 1000;

interface Newest {
  readonly revision: number;
  readonly chain: number;
}

/**
 * Keeps the high-water mark and the page checksums of a store that is being written.
 *
 * - Before the first write the mark says `open`, synced: from here on the store may have more than the mark says.
 * - After every commit, before it is acknowledged, the mark is raised. The operating system has it from then on, so it is
 *   exact after the process is killed; it is synced every second, so it may trail after a power failure.
 * - After a checkpoint has written all pages, their checksums are stored. SQLite starts the write-ahead log again only
 *   with the next transaction, and only this thread writes.
 * - After the last checkpoint the mark says `closed`.
 */
export class Keeper {
  readonly #path: string;
  /**
   * The database, for reading pages. Open as long as SQLite has it open: closing any handle of a file releases the locks
   * that SQLite holds on it.
   */
  readonly #file: number;
  readonly #mark: HighWaterFile;
  readonly #sums: PageSums;
  #isOpen = false;
  #syncedAt = 0;
  /** Frames that a checkpoint has written without their checksums being stored yet, for example on a full disk. */
  #unstored = 0;

  constructor(path: string) {
    const files = storeFiles(path);
    const sums = PageSums.read(files.sums, pageSize);
    if (sums === undefined) throw new Error(`${files.sums} is missing or damaged`);
    this.#path = path;
    this.#sums = sums;
    this.#mark = HighWaterFile.open(files.mark);
    this.#file = openSync(path, "r");
  }

  /** To be called before every transaction, which does not take place if this fails. */
  beforeWrite(newest: Newest): void {
    // The transaction may start the write-ahead log again, and then the pages would have no valid checksums.
    if (this.#unstored > 0) this.#storeSums();
    if (this.#isOpen) return;
    this.#mark.writeSynced({ state: "open", ...newest });
    this.#isOpen = true;
  }

  /** To be called after every commit, before it is acknowledged. */
  advance(newest: Newest): void {
    try {
      this.#mark.write({ state: "open", ...newest });
    } catch {
      // The commit is durable; the mark may trail.
    }
    if (performance.now() - this.#syncedAt > syncAfter) this.sync();
  }

  sync(): void {
    this.#syncedAt = performance.now();
    try {
      this.#mark.sync();
    } catch {
      // It may trail until the next attempt.
    }
  }

  /** Writes the pages of the write-ahead log into the database. Returns false when a reader kept it from writing all. */
  checkpoint(database: Database): boolean {
    const result = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() ?? {};
    const [frames, written] = [Number(result["log"]), Number(result["checkpointed"])];
    if (frames !== written) return false;
    this.#unstored = frames;
    this.#storeSums();
    return true;
  }

  #storeSums(): void {
    if (this.#unstored > 0) this.#sums.updateFromWal(`${this.#path}-wal`, this.#unstored, this.#file);
    this.#unstored = 0;
  }

  /** Closes the database. It is the whole store if everything could be written. */
  close(database: Database, newest: Newest): void {
    if (this.#finish(database, newest)) database.close();
    else closeKeepingLog(database, this.#path);
    this.#mark.close();
    closeSync(this.#file);
  }

  /** Empties the write-ahead log and writes the last mark; returns false when the log still has something. */
  #finish(database: Database, newest: Newest): boolean {
    try {
      const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
      if (!this.#isOpen && (log?.size ?? 0) === 0) return true;
      this.beforeWrite(newest);
      if (!this.checkpoint(database)) return false;
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const pages = { count: this.#sums.count, digest: this.#sums.digest() };
      this.#mark.writeSynced({ state: "closed", ...newest, pages });
      return true;
    } catch {
      // For example a full disk. The next opening reads the rest from the write-ahead log.
      return false;
    }
  }
}

/**
 * Closes a connection without the checkpoint that SQLite makes when the last one is closed: the checksums of its pages
 * would be missing. A connection that only reads cannot make one.
 */
function closeKeepingLog(database: Database, path: string): void {
  const reader = openDatabase(path, { readOnly: true });
  try {
    reader.prepare("PRAGMA user_version").get();
    database.close();
  } finally {
    reader.close();
  }
}
