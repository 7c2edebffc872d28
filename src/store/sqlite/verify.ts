import { resolve } from "node:path";
import { openDirectory } from "./directory.js";
import { openDatabase, type Database } from "./engine.js";
import { live } from "./schema.js";

/** Condition for mutations that must be in `versions`; later ones may be. */
const indexed = "log.id <= (SELECT id FROM marks WHERE name = 'indexed')";

/** Invariants of every file; each query counts the violations. */
const invariants: Record<string, string> = {
  "a key has two newest versions": `SELECT count(*) AS count FROM
    (SELECT key FROM versions WHERE until = ${live} GROUP BY key HAVING count(*) > 1)`,
  "a version has no mutation in the log":
    "SELECT count(*) AS count FROM versions LEFT JOIN log USING (id) WHERE log.id IS NULL OR value IS NULL",
  "a put in the log has no version": `SELECT count(*) AS count FROM log
    LEFT JOIN versions ON versions.id = log.id AND versions.key = log.key
    WHERE value IS NOT NULL AND versions.id IS NULL AND ${indexed}`,
  "a version ends at an id that is not in the log": `SELECT count(*) AS count FROM versions
    WHERE until <> ${live} AND until NOT IN (SELECT id FROM log)`,
  "a mutation does not end the version it replaced": `SELECT count(*) AS count FROM log
    JOIN versions ON versions.id = log.previous AND versions.key = log.key
    WHERE until <> log.id AND (until <> ${live} OR ${indexed})`,
  "a mutation that is not indexed has no creation revision": `SELECT count(*) AS count FROM log
    WHERE created IS NULL AND NOT ${indexed}`,
  "a version ends before it begins": `SELECT count(*) AS count FROM versions
    WHERE until <> ${live} AND until <= id`,
};

/**
 * Checks a data directory from end to end and returns the problems found. The store must be closed. Takes time in
 * proportion to the size of the data.
 *
 * @throws {StoreInUse} @throws {StoreForeign} @throws {StoreDamaged} as {@link openSqliteStore} does.
 */
export function verifySqliteStore(directory: string): string[] {
  const opened = openDirectory(resolve(directory));
  try {
    const database = openDatabase(opened.database, { readOnly: true });
    try {
      return [...integrityErrors(database), ...brokenInvariants(database)];
    } finally {
      database.close();
    }
  } finally {
    opened.release();
  }
}

function integrityErrors(database: Database): string[] {
  const rows = database.prepare("PRAGMA integrity_check").all() as unknown as { integrity_check: string }[];
  return rows.map((row) => row.integrity_check).filter((message) => message !== "ok");
}

function brokenInvariants(database: Database): string[] {
  return Object.entries(invariants).flatMap(([name, query]) => {
    const { count } = database.prepare(query).get() as unknown as { count: number };
    return count > 0 ? [`${name} (${count} times)`] : [];
  });
}
