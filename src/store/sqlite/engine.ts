import { createRequire } from "node:module";
import type { DatabaseSyncInstance, SqliteModule, StatementSyncInstance } from "@photostructure/sqlite";

export type Database = DatabaseSyncInstance;
export type Statement = StatementSyncInstance;

const require = createRequire(import.meta.url);

/**
 * SQLite through the `node:sqlite` API: Node's own from version 24 on, where it needs no flag and prints no
 * warning, and the same API from a package before that.
 */
const engine: SqliteModule = require(hasOwnEngine() ? "node:sqlite" : "@photostructure/sqlite");

function hasOwnEngine(): boolean {
  return Number(process.versions.node.split(".")[0]) >= 24;
}

/** Opens a database file; a connection of ours waits at most `timeout` milliseconds for another's lock. */
export function openDatabase(path: string, options: { readOnly?: boolean; timeout?: number } = {}): Database {
  return new engine.DatabaseSync(path, { timeout: 5000, ...options });
}

/** SQLite's primary result codes that we tell apart. */
export const resultCode = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** SQLite's own text of each of them: some calls of the package throw errors that have no number. */
const codeByText = new Map<string, number>([
  ["database is locked", resultCode.busy],
  ["disk I/O error", resultCode.ioError],
  ["database disk image is malformed", resultCode.corrupt],
  ["database or disk is full", resultCode.full],
  ["file is not a database", resultCode.notADatabase],
]);

/** SQLite's primary result code of a thrown error; undefined when it is not SQLite's. */
export function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as { errcode?: unknown }).errcode;
  // The low byte is the primary code, the rest tells variants of it apart.
  return typeof code === "number" ? code & 0xff : codeByText.get(error.message);
}

/** Runs something wholly or not at all. */
export function transaction<Result>(database: Database, body: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = body();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // Some errors, a full disk among them, have ended the transaction already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
