import { resolve } from "node:path";
import { openDirectory } from "./directory.js";
import { openDatabase, type Database } from "./engine.js";
import { live } from "./schema.js";

/** Changes that `versions` must have; of those behind the mark it may have some. */
const indexed = "log.id <= (SELECT id FROM marks WHERE name = 'indexed')";

/** What must hold in every file at every moment; each query counts where it does not. */
const invariants: Record<string, string> = {
  "a key has two newest versions": `SELECT count(*) AS count FROM
    (SELECT key FROM versions WHERE until = ${live} GROUP BY key HAVING count(*) > 1)`,
  "a version has no change in the log":
    "SELECT count(*) AS count FROM versions LEFT JOIN log USING (id) WHERE log.id IS NULL OR value IS NULL",
  "a put in the log has no version": `SELECT count(*) AS count FROM log
    LEFT JOIN versions ON versions.id = log.id AND versions.key = log.key
    WHERE value IS NOT NULL AND versions.id IS NULL AND ${indexed}`,
  "a version ends where no change is": `SELECT count(*) AS count FROM versions
    WHERE until <> ${live} AND until NOT IN (SELECT id FROM log)`,
  "a change does not end the version it replaced": `SELECT count(*) AS count FROM log
    JOIN versions ON versions.id = log.previous AND versions.key = log.key
    WHERE until <> log.id AND (until <> ${live} OR ${indexed})`,
  "a change behind the index does not tell when its key was created": `SELECT count(*) AS count FROM log
    WHERE created IS NULL AND NOT ${indexed}`,
  "a version ends before it begins": `SELECT count(*) AS count FROM versions
    WHERE until <> ${live} AND until <= id`,
};

/**
 * Reads a whole data directory and tells what is wrong with it; nothing when it is sound. It takes a while for a
 * large one, and needs it to be closed.
 *
 * @throws {StoreInUse} @throws {StoreForeign} @throws {StoreDamaged} as {@link openSqliteStore} does.
 */
export function verifySqliteStore(directory: string): string[] {
  const opened = openDirectory(resolve(directory));
  try {
    const database = openDatabase(opened.database, { readOnly: true });
    try {
      return [...structureOf(database), ...brokenInvariants(database)];
    } finally {
      database.close();
    }
  } finally {
    opened.release();
  }
}

function structureOf(database: Database): string[] {
  const rows = database.prepare("PRAGMA integrity_check").all() as unknown as { integrity_check: string }[];
  return rows.map((row) => row.integrity_check).filter((message) => message !== "ok");
}

function brokenInvariants(database: Database): string[] {
  return Object.entries(invariants).flatMap(([name, query]) => {
    const { count } = database.prepare(query).get() as unknown as { count: number };
    return count > 0 ? [`${name} (${count} times)`] : [];
  });
}
