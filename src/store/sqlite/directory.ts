import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { StoreForeign, StoreInUse } from "../errors.js";
import { openDatabase, resultCode, resultCodeOf, type Database } from "./engine.js";
import { ensureFolder, unusable } from "./folder.js";
import { storeDamaged } from "./integrity/damage.js";
import { HighWaterFile, readHighWaterMark } from "./integrity/high-water-mark.js";
import { PageSums } from "./integrity/page-sums.js";
import { storeFiles } from "./integrity/store-files.js";
import {
  applicationId,
  createSchema,
  formatVersion,
  otherFormat,
  pageSize,
  type Beginning,
} from "./schema.js";

/** Data directory that this store has locked. */
export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  release(): void;
}

/** Options of {@link openDirectory}. */
export interface LockOptions {
  /** Revision of a store that is created. Default 0. */
  readonly beginning?: Beginning | undefined;
}

/**
 * Locks a data directory, which is created if it does not exist, and creates the database in it. Of an existing database
 * only the format is checked.
 *
 * @throws {StoreUnusable} @throws {StoreInUse} @throws {StoreForeign} @throws {StoreDamaged}
 */
export function openDirectory(path: string, options: LockOptions = {}): DataDirectory {
  const database = join(path, "store.db");
  // Before anything else: reading the header opens and closes the file without SQLite, which would release the locks of
  // a connection that this process may already have to it.
  const lock = lockDirectory(path);
  try {
    if (isUnused(path, database)) create(path, database, options.beginning);
    else checkFormat(path, database);
  } catch (error) {
    lock.release();
    throw unusable(path, error);
  }
  return { path, database, release: () => lock.release() };
}

/** Locks a directory for the stores that it has or will have. `files` is the directory of the lock's own files. */
export function lockDirectory(path: string, files = path): { release(): void } {
  ensureFolder(files);
  const lock = takeLock(path, files);
  return { release: () => lock.close() };
}

/**
 * Locks the directory by an exclusive lock on an SQLite file of its own. Unlike a file with a process id, the lock ends
 * with its process, however that ends.
 */
function takeLock(directory: string, files: string): Database {
  const path = join(files, "lock");
  try {
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw unusable(directory, error);
  }
  const lock = openDatabase(path, { timeout: 0 });
  const owner = join(files, "owner");
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (resultCodeOf(error) === resultCode.notADatabase) {
      // Its content does not matter. Nobody holds the lock: SQLite would not have read the file.
      truncateSync(path);
      return takeLock(directory, files);
    }
    if (resultCodeOf(error) !== resultCode.busy) throw error;
    throw new StoreInUse(
      `${directory} is in use by ${readOwner(owner)}; stop that process, or use another data directory`,
      { cause: error },
    );
  }
  writeFileSync(owner, `process ${process.pid} on ${hostname()}\n`, { mode: 0o600 });
  return lock;
}

function readOwner(owner: string): string {
  try {
    return readFileSync(owner, "utf8").trim();
  } catch {
    return "another process";
  }
}

/** True when nothing was ever committed here. A store that has lost a file is not unused. */
function isUnused(directory: string, database: string): boolean {
  const files = storeFiles(database);
  const mark = readHighWaterMark(files.mark);
  if (mark === "missing") return !Object.values(files).some((file) => existsSync(file));
  if (mark !== "damaged" && mark.state === "new") return true;
  if (existsSync(database)) return false;
  const revision = mark === "damaged" ? "" : `, which was at revision ${mark.revision}`;
  throw storeDamaged(directory, [{ file: "store.db", message: `store.db${revision}, is missing` }]);
}

/**
 * Writes the file under a temporary name and renames it, so that `store.db` is never incomplete. The mark is there before
 * it, so that a missing mark means damage.
 */
function create(directory: string, path: string, beginning: Beginning | undefined): void {
  const files = storeFiles(path);
  const mark = HighWaterFile.open(files.mark);
  try {
    mark.writeSynced({ state: "new", revision: 0, chain: 0 });
    sync(directory);
    const temporary = `${path}.new`;
    for (const file of [temporary, path, files.wal]) rmSync(file, { force: true });
    // SQLite gives its other files the same permissions.
    closeSync(openSync(temporary, "w", 0o600));
    const database = openDatabase(temporary);
    let chain: number;
    try {
      chain = createSchema(database, beginning);
    } finally {
      database.close();
    }
    sync(temporary);
    const sums = PageSums.create(files.sums, temporary, pageSize);
    renameSync(temporary, path);
    sync(directory);
    const pages = { count: sums.count, digest: sums.digest() };
    mark.writeSynced({ state: "closed", revision: beginning?.revision ?? 0, chain, pages });
  } finally {
    mark.close();
  }
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Checks the header of a database file without opening the database. Our files have a mark beside them. */
export function checkFormat(directory: string, path: string): void {
  if (!existsSync(path)) return;
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  let read: number;
  try {
    read = readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  const hasMark = existsSync(storeFiles(path).mark);
  const damaged = (message: string): Error => storeDamaged(directory, [{ file: "store.db", message }]);
  if (read === 0) throw damaged("store.db is empty");
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw hasMark
      ? damaged("the beginning of store.db is overwritten")
      : new StoreForeign(`${path} is not a Fettle store; use another data directory`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw hasMark
      ? damaged("the header of store.db is overwritten")
      : new StoreForeign(`${path} is an SQLite database of another program; use another data directory`);
  }
  const version = header.readUInt32BE(60);
  if (version !== formatVersion) throw otherFormat(path, version);
}
