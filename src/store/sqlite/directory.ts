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

/** Data directory that this store has locked. */
export interface DataDirectory {
  readonly database: string;
  release(): void;
}

/**
 * Locks a data directory, which is created if it does not exist, and creates or migrates the database in it. An existing
 * database is checked before it is changed.
 *
 * @throws {StoreInUse} @throws {StoreForeign} @throws {StoreDamaged}
 */
export function openDirectory(path: string): DataDirectory {
  const database = join(path, "store.db");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // Before anything else: reading the header opens and closes the file without SQLite, which would release the locks of
  // a connection that this process may already have to it.
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
 * Locks the directory by an exclusive lock on an SQLite file of its own. Unlike a file with a process id, the lock ends
 * with its process, however that ends.
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
      `${directory} is in use by ${readOwner(owner)}; stop that process, or use another data directory`,
      { cause: error },
    );
  }
  writeFileSync(owner, `process ${process.pid} on ${hostname()}\n`);
  return lock;
}

function readOwner(owner: string): string {
  try {
    return readFileSync(owner, "utf8").trim();
  } catch {
    return "another process";
  }
}

/** Writes the file under a temporary name and renames it, so that `store.db` is never incomplete. */
function create(directory: string, path: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const database = openDatabase(temporary);
  try {
    createSchema(database);
  } finally {
    database.close();
  }
  sync(temporary);
  renameSync(temporary, path);
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

/** Checks the header of a database file without opening the database; returns the version of its schema. */
function checkHeader(path: string): number {
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  let read: number;
  try {
    read = readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (read === 0)
    throw new StoreDamaged(
      `${path} is empty; restore a backup, or remove the file to start with an empty store`,
    );
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new StoreForeign(`${path} is not a Fettle store; use another data directory`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreForeign(`${path} is an SQLite database of another program; use another data directory`);
  }
  const version = header.readUInt32BE(60);
  if (version > schemaVersion) throw newerSchema(path, version);
  checkLength(path, header);
  return version;
}

function checkLength(path: string, header: Buffer): void {
  // Pages that are missing from the file may be in the write-ahead log.
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
