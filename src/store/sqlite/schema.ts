import { StoreForeign } from "../errors.js";
import type { Database } from "./engine.js";
import { query } from "./query.js";

/** SQLite application id of our files: "Fttl" in ASCII. */
export const applicationId = 0x4674746c;

/** Ids per revision, which limits the mutations of a commit. */
const idsPerRevision = 1024;

/** Value of `until` of a version that has not been replaced: SQLite stores 0 without using space in the row. */
export const live = 0;

const pageSize = 8192;

/** Id of a mutation: the revision of its commit and its place in it, as one number that grows with both. */
export function idOf(revision: number, place: number): number {
  return revision * idsPerRevision + place;
}

export function revisionOf(id: number): number {
  return Math.floor(id / idsPerRevision);
}

/**
 * Migration steps; the version of a file is the number of steps it has taken. Never change a released step, add one.
 *
 * `log` has every mutation since the floor, and the newest version of every key however old it is. A commit is durable
 * when it is appended to the log, and watches read the log from any revision.
 *
 * `versions` is the index by key, up to the mark `indexed`. The mutations after that mark are also in memory (`tail.ts`)
 * until they are indexed (`indexer.ts`). A version is visible from its own revision up to, but not including, `until`,
 * when it was replaced or deleted. So the state at any revision, the newest included, is one range scan. `until` is in
 * the same small row as the key, so replacing a version touches one page of this tree.
 */
const steps: readonly ((database: Database) => void)[] = [
  (database) =>
    database.exec(`
      CREATE TABLE log (
        id INTEGER PRIMARY KEY,     -- see idOf
        key TEXT NOT NULL,
        previous INTEGER NOT NULL,  -- the id of the version this one replaced, 0: none
        time INTEGER NOT NULL,      -- when it was committed, milliseconds since 1970
        value BLOB                  -- NULL when the key was deleted
      );
      CREATE TABLE versions (
        key TEXT NOT NULL,
        id INTEGER NOT NULL,
        until INTEGER NOT NULL,     -- the id of the mutation that replaced or deleted it, 0: none yet
        created INTEGER NOT NULL,   -- the revision at which the key was created
        expires INTEGER,
        PRIMARY KEY (key, id)
      ) WITHOUT ROWID;
      CREATE INDEX expiring ON versions (expires) WHERE expires IS NOT NULL AND until = ${live};
      CREATE TABLE marks (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO marks VALUES
        ('floor', 0),               -- the revision history starts at
        ('swept', 0);               -- up to this id, what the floor made unreadable has been deleted
    `),
  // Columns that the tail needs. Mutations from before this step have NULL here, and all of them are in `versions`.
  (database) =>
    database.exec(`
      ALTER TABLE log ADD COLUMN created INTEGER;
      ALTER TABLE log ADD COLUMN expires INTEGER;
      -- up to this id, \`versions\` has every mutation; it may have some of the later ones
      INSERT INTO marks SELECT 'indexed', coalesce(max(id), 0) FROM log;
    `),
];

/** Version that this code writes. */
export const schemaVersion = steps.length;

/** Creates the tables in an empty file. SQLite syncs nothing here: the caller syncs the file before renaming it. */
export function createSchema(database: Database): void {
  database.exec("PRAGMA synchronous = OFF");
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA application_id = ${applicationId};`);
  migrate(database);
  database.exec("PRAGMA journal_mode = WAL");
}

/**
 * Migrates a file to the newest version, each step in a transaction of its own: a step that fails leaves the file as it
 * was before the step.
 */
export function migrate(database: Database, to = steps): void {
  const version = versionOf(database);
  if (version > to.length) throw newerSchema("the file", version, to.length);
  for (const [index, step] of to.entries()) {
    if (index < version) continue;
    database.exec("BEGIN IMMEDIATE");
    try {
      step(database);
      database.exec(`PRAGMA user_version = ${index + 1}; COMMIT`);
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

function versionOf(database: Database): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

export function newerSchema(path: string, version: number, newest = schemaVersion): StoreForeign {
  return new StoreForeign(
    `${path} was written by a newer Fettle (format ${version}, this version reads up to ${newest}); ` +
      "upgrade Fettle, or restore a backup made with this version",
  );
}

/** Names of the rows in `marks`; their values only grow. */
type Mark = "floor" | "swept" | "indexed";

export function readMark(database: Database, name: Mark): number {
  const [id] = query<[number]>(database, "SELECT id FROM marks WHERE name = ?").get(name) ?? [];
  return id ?? 0;
}

export function raiseMark(database: Database, name: Mark, id: number): void {
  database.prepare("UPDATE marks SET id = ? WHERE name = ? AND id < ?").run(id, name, id);
}
