import { createRequire } from "node:module";
import type { DatabaseSyncInstance, SqliteModule, StatementSyncInstance } from "@photostructure/sqlite";

export type Database = DatabaseSyncInstance;
export type Statement = StatementSyncInstance;

const require = createRequire(import.meta.url);

/**
 * SQLite through the `node:sqlite` API: Node's own from version 24 on, where it needs no flag and prints no warning;
 * before that, a package with the same API.
 */
const engine: SqliteModule = require(hasBuiltInSqlite() ? "node:sqlite" : "@photostructure/sqlite");

function hasBuiltInSqlite(): boolean {
  return Number(process.versions.node.split(".")[0]) >= 24;
}

/** Opens a database file. `timeout` is the wait for locks of other connections, in milliseconds. */
export function openDatabase(path: string, options: { readOnly?: boolean; timeout?: number } = {}): Database {
  return new engine.DatabaseSync(path, { timeout: 5000, ...options });
}

/** Primary result codes of SQLite that are handled. */
export const resultCode = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** Messages of these codes: some calls of the package throw errors without a number. */
const codeByText = new Map<string, number>([
  ["database is locked", resultCode.busy],
  ["disk I/O error", resultCode.ioError],
  ["database disk image is malformed", resultCode.corrupt],
  ["database or disk is full", resultCode.full],
  ["file is not a database", resultCode.notADatabase],
]);

/** Primary result code of a thrown error; undefined when the error is not from SQLite. */
export function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as { errcode?: unknown }).errcode;
  // The low byte is the primary code, the rest a variant of it.
  return typeof code === "number" ? code & 0xff : codeByText.get(error.message);
}

export function transaction<Result>(database: Database, body: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = body();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // Some errors, such as a full disk, have already ended the transaction.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
