import { StoreForeign } from "../errors.js";
import type { Database } from "./engine.js";
import { chainSum, mutationSum, packSums, unpackSums } from "./integrity/checksum.js";
import { query } from "./query.js";

/** SQLite application id of our files: "Fttl" in ASCII. */
export const applicationId = 0x4674746c;

/** Version of the format that this code reads and writes: of the database and of the files beside it. */
export const formatVersion = 3;

/** Ids per revision, which limits the mutations of a commit. */
const idsPerRevision = 1024;

/** Value of `until` of a version that has not been replaced: SQLite stores 0 without using space in the row. */
export const live = 0;

export const pageSize = 8192;

/** Id of a mutation: the revision of its commit and its place in it, as one number that grows with both. */
export function idOf(revision: number, place: number): number {
  return revision * idsPerRevision + place;
}

export function revisionOf(id: number): number {
  return Math.floor(id / idsPerRevision);
}

/**
 * `log` has every mutation since the floor, and the newest version of every key however old it is. A commit is durable
 * when it is appended to the log, and watches read the log from any revision. `README.md` explains the checksums.
 *
 * `versions` is the index by key, up to the mark `indexed`. The mutations after that mark are also in memory (`tail.ts`)
 * until they are indexed (`indexer.ts`). A version is visible from its own revision up to, but not including, `until`,
 * when it was replaced or deleted. So the state at any revision, the newest included, is one range scan. `until` is in
 * the same small row as the key, so replacing a version touches one page of this tree.
 */
const tables = `
  CREATE TABLE log (
    id INTEGER PRIMARY KEY,     -- see idOf
    key TEXT NOT NULL,
    previous INTEGER NOT NULL,  -- the id of the version this one replaced, 0: none
    created INTEGER NOT NULL,   -- the revision at which the key was created
    time INTEGER NOT NULL,      -- when it was committed, milliseconds since 1970
    sums INTEGER NOT NULL,      -- its checksum and the chain, see packSums
    expires INTEGER,
    value BLOB                  -- NULL when the key was deleted
  );
  CREATE TABLE versions (
    key TEXT NOT NULL,
    id INTEGER NOT NULL,
    until INTEGER NOT NULL,     -- the id of the mutation that replaced or deleted it, 0: none yet
    created INTEGER NOT NULL,
    expires INTEGER,
    PRIMARY KEY (key, id)
  ) WITHOUT ROWID;
  CREATE INDEX expiring ON versions (expires) WHERE expires IS NOT NULL AND until = ${live};
  CREATE TABLE marks (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO marks VALUES
    ('floor', 0),               -- the revision history starts at
    ('indexed', 0),             -- up to this id, \`versions\` has every mutation; it may have some of the later ones
    ('swept', 0),               -- up to this id, what the floor made unreadable has been deleted
    ('anchor', 0),              -- the chain up to \`swept\`
    ('swept_count', 0),         -- how many mutations up to \`swept\` are left
    ('swept_sum', 0);           -- the sum of their checksums
`;

/** First revision of a store that replaces a lost one. */
export interface Beginning {
  readonly revision: number;
  readonly time: number;
}

/**
 * Creates the tables in an empty file. SQLite syncs nothing here: the caller syncs the file before renaming it. Returns
 * the chain.
 *
 * A store that begins at a revision has no history before it: the log gets one valid entry with that revision, the
 * deletion of a key that never existed, which compaction removes.
 */
export function createSchema(database: Database, beginning?: Beginning): number {
  database.exec("PRAGMA synchronous = OFF");
  database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA application_id = ${applicationId};`);
  database.exec(`BEGIN; ${tables} PRAGMA user_version = ${formatVersion}; COMMIT`);
  const chain = beginning === undefined ? 0 : begin(database, beginning);
  database.exec("PRAGMA journal_mode = WAL");
  return chain;
}

function begin(database: Database, { revision, time }: Beginning): number {
  const mutation = { id: idOf(revision, 0), key: "/restored", created: revision, expires: null, value: null };
  const sum = mutationSum(mutation);
  const chain = chainSum(0, { sum, previous: 0, time });
  database
    .prepare(appendStatement)
    .run(mutation.id, mutation.key, 0, mutation.created, time, packSums(sum, chain), null, null);
  raiseMark(database, "floor", revision);
  raiseMark(database, "indexed", mutation.id);
  return chain;
}

export const appendStatement = "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

/** Error about a file of another format. */
export function otherFormat(path: string, version: number): StoreForeign {
  return new StoreForeign(
    version > formatVersion
      ? `${path} was written by a newer Fettle (format ${version}, this version reads ${formatVersion}); ` +
          "upgrade Fettle, or restore a backup made with this version"
      : `${path} was written by an earlier Fettle (format ${version}, this version reads ${formatVersion}); ` +
          "make a backup of it with that version (fettle backup) and restore it with this one (fettle restore)",
  );
}

/** Names of the rows in `marks` whose values only grow. */
type GrowingMark = "floor" | "swept" | "indexed";

type Mark = GrowingMark | "anchor" | "swept_count" | "swept_sum";

export function readMark(database: Database, name: Mark): number {
  const [id] = query<[number]>(database, "SELECT id FROM marks WHERE name = ?").get(name) ?? [];
  return id ?? 0;
}

export function raiseMark(database: Database, name: GrowingMark, id: number): void {
  database.prepare("UPDATE marks SET id = ? WHERE name = ? AND id < ?").run(id, name, id);
}

export function writeMark(database: Database, name: Mark, id: number): void {
  database.prepare("UPDATE marks SET id = ? WHERE name = ?").run(id, name);
}

/** Newest revision in the log, and the chain up to it. */
export function newestLogged(database: Database): { readonly revision: number; readonly chain: number } {
  const [id = 0, sums = 0] =
    query<[number, number]>(database, "SELECT id, sums FROM log ORDER BY id DESC LIMIT 1").get() ?? [];
  return { revision: revisionOf(id), chain: unpackSums(sums).chain };
}
