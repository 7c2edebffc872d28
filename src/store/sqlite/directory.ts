import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { StoreDamaged, StoreForeign, StoreInUse } from "../errors.js";
import { openDatabase, resultCode, resultCodeOf, type Database } from "./engine.js";
import { applicationId, createSchema, migrate, newerSchema, schemaVersion } from "./schema.js";

/** A data directory that this process alone has open. */
export interface DataDirectory {
  readonly database: string;
  release(): void;
}

/**
 * Takes a data directory for this process, making it when it is new, and leaves in it a database of the newest
 * format. Whatever is wrong with a database that is there is found before it is changed.
 *
 * @throws {StoreInUse} @throws {StoreForeign} @throws {StoreDamaged}
 */
export function openDirectory(path: string): DataDirectory {
  const database = join(path, "store.db");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // First the lock: to open and close the database by other means than SQLite's, as looking at its header does,
  // would take away the locks of a connection that this process may have to it already.
  const lock = takeLock(path);
  try {
    if (!existsSync(database)) create(path, database);
    else if (checkHeader(database) < schemaVersion) upgrade(database);
  } catch (error) {
    lock.close();
    throw error;
  }
  return { database, release: () => lock.close() };
}

/**
 * The lock is an SQLite file of its own, held exclusively: unlike a file with a process id in it, it goes with
 * its process however that ends.
 */
function takeLock(directory: string): Database {
  const lock = openDatabase(join(directory, "lock"), { timeout: 0 });
  const owner = join(directory, "owner");
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (resultCodeOf(error) !== resultCode.busy) throw error;
    throw new StoreInUse(
      `${directory} is in use by ${nameOf(owner)}; stop it first, or choose another data directory`,
      { cause: error },
    );
  }
  writeFileSync(owner, `process ${process.pid} on ${hostname()}\n`);
  return lock;
}

function nameOf(owner: string): string {
  try {
    return readFileSync(owner, "utf8").trim();
  } catch {
    return "another process";
  }
}

/** Writes the new file aside and moves it into place, so that a file that is there is a whole one. */
function create(directory: string, path: string): void {
  const aside = `${path}.new`;
  rmSync(aside, { force: true });
  const database = openDatabase(aside);
  try {
    createSchema(database);
  } finally {
    database.close();
  }
  sync(aside);
  renameSync(aside, path);
  sync(directory);
}

function upgrade(path: string): void {
  const database = openDatabase(path);
  try {
    migrate(database);
  } finally {
    database.close();
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

/** Looks at the first bytes of a database file without opening it, and returns the version of its format. */
function checkHeader(path: string): number {
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  let read: number;
  try {
    read = readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (read === 0) throw new StoreDamaged(`${path} is empty; restore a backup, or remove it to start anew`);
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new StoreForeign(`${path} is not a Fettle store; choose another data directory`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreForeign(`${path} is an SQLite database of another program; choose another data directory`);
  }
  const version = header.readUInt32BE(60);
  if (version > schemaVersion) throw newerSchema(path, version);
  checkLength(path, header);
  return version;
}

/** While there is a write-ahead log, the pages missing from the file may be in there. */
function checkLength(path: string, header: Buffer): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) return;
  const page = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = page * header.readUInt32BE(28);
  const { size } = statSync(path);
  if (size >= expected && size % page === 0) return;
  throw new StoreDamaged(
    `${path} is damaged: it is ${size} bytes long and should be ${expected}; restore a backup`,
  );
}
