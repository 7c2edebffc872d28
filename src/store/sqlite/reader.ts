import { compareKeys, prefixEnd } from "../keys.js";
import type { Entry, RangeOptions, WatchEvent } from "../store.js";
import { openDatabase, type Database } from "./engine.js";
import { explaining, query } from "./query.js";
import { idOf, live, revisionOf } from "./schema.js";

type VersionRow = [
  key: string,
  id: number,
  created: number,
  expires: number | null,
  value: Uint8Array,
  until: number,
];

/** What a row of a range says of its version, in JSON; the values follow each other in a blob. */
type Description = [key: string, id: number, created: number, expires: number | null, length: number];

type ChangeRow = [
  id: number,
  key: string,
  value: Uint8Array | null,
  previous: number,
  created: number | null,
  expires: number | null,
];

/** SQLite orders every text before every blob, so this lies behind all keys. */
const behindAll = new Uint8Array(0);

/** How many revisions of history are looked at in one go. */
const stretch = 2000;

/** How much of the file is read through a memory map: it counts as memory of the process once it has been read. */
const mappedBytes = 2 ** 26;

/** How many due keys are told at a time. */
const expiredAtOnce = 256;

/**
 * The connection that reads, on the caller's own thread. It never waits for the writer: SQLite's write-ahead log
 * lets both work at once, and every query names the revision it wants, so that it does not matter when the
 * writer's newest commits become visible here.
 */
export class Reader {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof prepare>;

  constructor(path: string) {
    this.#database = openDatabase(path, { readOnly: true });
    try {
      this.#queries = prepare(this.#database);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** The newest revision in the file. */
  revision(): number {
    const [id] = this.#queries.newest.get() ?? [];
    return revisionOf(id ?? 0);
  }

  floor(): number {
    const [floor] = this.#queries.floor.get() ?? [];
    return floor ?? 0;
  }

  get(key: string, revision: number): Entry | undefined {
    const bound = idOf(revision + 1, 0);
    const row = this.#queries.get.get(key, bound);
    return row !== undefined && (row[5] === live || row[5] >= bound) ? entryOf(row) : undefined;
  }

  /** At most `limit` entries; the caller asks on behind the last of them. */
  range({ prefix, after }: RangeOptions, revision: number, limit: number): Entry[] {
    const end = prefixEnd(prefix) ?? behindAll;
    const row = this.#queries.range.get(firstKey(prefix, after), end, idOf(revision + 1, 0), limit);
    return row === undefined ? [] : unpacked(row);
  }

  count({ prefix, after }: RangeOptions, revision: number): number {
    const end = prefixEnd(prefix) ?? behindAll;
    const [count] = this.#queries.count.get(firstKey(prefix, after), end, idOf(revision + 1, 0)) ?? [];
    return count ?? 0;
  }

  /** One version by its id, for as long as history has it. */
  version(key: string, id: number): Entry | undefined {
    const row = this.#queries.version.get(key, id);
    return row && entryOf(row);
  }

  /** The changes below a prefix in the next stretch of history after a revision, up to `newest`. */
  changes(
    prefix: string,
    after: number,
    newest: number,
    withPrevious: boolean,
  ): { events: WatchEvent[]; through: number } {
    const through = Math.min(newest, after + stretch);
    const end = prefixEnd(prefix) ?? behindAll;
    const rows = this.#queries.changes.all(idOf(after + 1, 0), idOf(through + 1, 0), prefix, end);
    return { events: rows.map((row) => this.#event(row, withPrevious)), through };
  }

  nextExpiry(): number | undefined {
    const [expires] = this.#queries.nextExpiry.get() ?? [];
    return expires ?? undefined;
  }

  expired(now: number): { key: string; revision: number }[] {
    return this.#queries.expired
      .all(now, expiredAtOnce)
      .map(([key, id]) => ({ key, revision: revisionOf(id) }));
  }

  /**
   * The newest revision, between the two, that was committed at or before a time. By bisection: the log is in the
   * order of time, apart from what sweeping has taken out of it.
   */
  revisionAt(time: number, floor: number, newest: number): number {
    let low = floor;
    let high = newest;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [id, committed] = this.#queries.firstFrom.get(idOf(middle, 0)) ?? [Infinity, Infinity];
      if (committed <= time) low = Math.max(middle, Math.min(revisionOf(id), high));
      else high = middle - 1;
    }
    return low;
  }

  close(): void {
    this.#database.close();
  }

  #event([id, key, value, previousId, created, expires]: ChangeRow, withPrevious: boolean): WatchEvent {
    const revision = revisionOf(id);
    const previous = withPrevious && previousId !== 0 ? this.version(key, previousId) : undefined;
    if (value === null) return { type: "delete", key, revision, previous };
    const entry = { key, value, revision, created: created ?? revision, expires: expires ?? undefined };
    return { type: "put", key, revision, entry, previous };
  }
}

function prepare(database: Database) {
  // Reading through a memory map spares a system call and a copy for every page that our own cache does not have.
  explaining(() => database.exec(`PRAGMA cache_size = -16384; PRAGMA mmap_size = ${mappedBytes}`));
  const version = `SELECT versions.key, versions.id, created, expires, value, until
    FROM versions JOIN log ON log.id = versions.id`;
  const shown = `versions.key >= ?1 AND versions.key < ?2 AND versions.id < ?3 AND (until = ${live} OR until >= ?3)`;
  const expiring = `FROM versions WHERE expires IS NOT NULL AND until = ${live}`;
  return {
    newest: query<[number | null]>(database, "SELECT max(id) FROM log"),
    floor: query<[number]>(database, "SELECT id FROM marks WHERE name = 'floor'"),
    get: query<VersionRow>(
      database,
      `${version} WHERE versions.key = ? AND versions.id < ? ORDER BY versions.id DESC LIMIT 1`,
    ),
    // Each value that crosses from SQLite to JavaScript costs more than finding it, so a whole page crosses at once.
    range: query<[string, Uint8Array | null]>(
      database,
      `SELECT json_group_array(json_array(key, id, created, expires, length(value))),
         CAST(group_concat(CAST(value AS TEXT), '') AS BLOB)
       FROM (${version} WHERE ${shown} ORDER BY versions.key, versions.id LIMIT ?4)`,
    ),
    count: query<[number]>(database, `SELECT count(*) FROM versions WHERE ${shown}`),
    version: query<VersionRow>(database, `${version} WHERE versions.key = ? AND versions.id = ?`),
    changes: query<ChangeRow>(
      database,
      `SELECT log.id, log.key, value, previous, created, expires
       FROM log LEFT JOIN versions ON versions.key = log.key AND versions.id = log.id
       WHERE log.id >= ? AND log.id < ? AND log.key >= ? AND log.key < ? ORDER BY log.id`,
    ),
    nextExpiry: query<[number | null]>(database, `SELECT min(expires) ${expiring}`),
    expired: query<[string, number]>(
      database,
      `SELECT key, id ${expiring} AND expires <= ? ORDER BY expires LIMIT ?`,
    ),
    firstFrom: query<[number, number]>(
      database,
      "SELECT id, time FROM log WHERE id >= ? ORDER BY id LIMIT 1",
    ),
  };
}

/** The least key that a range may return. No key contains NUL, so U+0001 makes the next key behind `after`. */
function firstKey(prefix: string, after: string | undefined): string {
  return after === undefined || compareKeys(after, prefix) < 0 ? prefix : `${after}\u0001`;
}

/** The entries of a page; their values are parts of one buffer. */
function unpacked([descriptions, values]: [string, Uint8Array | null]): Entry[] {
  let start = 0;
  return (JSON.parse(descriptions) as Description[]).map(([key, id, created, expires, length]) => {
    const value = values?.subarray(start, start + length) ?? behindAll;
    start += length;
    return { key, value, revision: revisionOf(id), created, expires: expires ?? undefined };
  });
}

function entryOf([key, id, created, expires, value]: VersionRow): Entry {
  return { key, value, revision: revisionOf(id), created, expires: expires ?? undefined };
}
