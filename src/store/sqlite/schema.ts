import { StoreForeign } from "../errors.js";
import type { Database } from "./engine.js";

/** Marks an SQLite file as ours: "Fttl" in ASCII. */
export const applicationId = 0x4674746c;

/** How many changes of one commit an id has room for; see {@link idOf}. */
const changesPerRevision = 1024;

/** The `until` of a version that has not been replaced: the number that takes no room in a row. */
export const live = 0;

const pageSize = 8192;

/** The id of a change: its commit's revision and its place in the commit, as one number that only grows. */
export function idOf(revision: number, place: number): number {
  return revision * changesPerRevision + place;
}

export function revisionOf(id: number): number {
  return Math.floor(id / changesPerRevision);
}

/**
 * Version by version, how the tables came to be what they are; a file's version is the number of steps taken.
 * Never change a step that was released, add one.
 *
 * `log` holds every change since the floor, and the newest version of every key however old it is. Appending to
 * it is what makes a commit durable, and watches read it from any revision on.
 *
 * `versions` finds them by key, up to the mark `indexed`; the few changes behind that mark are kept in memory as well
 * (see `tail.ts`), until they are brought in here (see `indexer.ts`). A version is shown at all revisions from its own up to, but without, `until`,
 * where its replacement or deletion took its place. So the state at any revision is one range scan, and the
 * newest state is just the scan at the newest revision. `until` lies in the same small row beside the key, so
 * replacing a version touches one page of this tree.
 */
const steps: readonly ((database: Database) => void)[] = [
  (database) =>
    database.exec(`
      CREATE TABLE log (
        id INTEGER PRIMARY KEY,     -- see idOf
        key TEXT NOT NULL,
        previous INTEGER NOT NULL,  -- the id of the version this one replaced, 0 for none
        time INTEGER NOT NULL,      -- when it was committed, milliseconds since 1970
        value BLOB                  -- NULL when the key was deleted
      );
      CREATE TABLE versions (
        key TEXT NOT NULL,
        id INTEGER NOT NULL,
        until INTEGER NOT NULL,     -- the id of the change that replaced or deleted it, 0 while there is none
        created INTEGER NOT NULL,   -- the revision at which the key came into being
        expires INTEGER,
        PRIMARY KEY (key, id)
      ) WITHOUT ROWID;
      CREATE INDEX expiring ON versions (expires) WHERE expires IS NOT NULL AND until = ${live};
      CREATE TABLE marks (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO marks VALUES
        ('floor', 0),               -- the revision history starts at
        ('swept', 0);               -- up to this id, what the floor made unreadable has been deleted
    `),
  // What the tail needs to know of a change besides what the log had of it. Changes from before this step have NULL
  // here, and all of them are in `versions`.
  (database) =>
    database.exec(`
      ALTER TABLE log ADD COLUMN created INTEGER;
      ALTER TABLE log ADD COLUMN expires INTEGER;
      -- up to this id, \`versions\` has every change; of those behind it, it may have some
      INSERT INTO marks SELECT 'indexed', coalesce(max(id), 0) FROM log;
    `),
];

/** The version that this code writes. */
export const schemaVersion = steps.length;

/** Prepares an empty file, which the caller syncs before moving it to its place: SQLite itself syncs nothing here. */
export function createSchema(database: Database): void {
  database.exec("PRAGMA synchronous = OFF");
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA application_id = ${applicationId};`);
  migrate(database);
  database.exec("PRAGMA journal_mode = WAL");
}

/**
 * Brings a file to the newest version, each step in a transaction of its own: one that fails leaves the file as
 * it was before that step.
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

export function newerSchema(path: string, version: number, known = schemaVersion): StoreForeign {
  return new StoreForeign(
    `${path} was written by a newer Fettle (format ${version}, this one knows up to ${known}); ` +
      "upgrade Fettle, or restore a backup made with this version",
  );
}
