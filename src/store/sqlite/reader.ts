import { compareKeys, prefixEnd } from "../keys.js";
import type { Entry, RangeOptions, WatchEvent } from "../store.js";
import type { HistoryPage, HistoryRequest } from "../watch/hub.js";
import { openDatabase, type Database } from "./engine.js";
import { readMark } from "./marks.js";
import { overlaid, type Shown } from "./overlay.js";
import { explaining, query } from "./query.js";
import { idOf, live, revisionOf } from "./schema.js";
import { keyBehind, newestBelow, readTail, type Tail } from "./tail.js";

type VersionRow = [key: string, id: number, created: number, expires: number | null, value: Uint8Array];

type IndexedRow = [...VersionRow, until: number];

/** What a row of a range says of its version, in JSON; the values follow each other in a blob. */
type Description = [key: string, id: number, created: number, expires: number | null, length: number];

/** Descriptions of some versions, and their values. */
type Packed = [string, Uint8Array | null];

type LogRow = [
  key: string,
  id: number,
  created: number,
  expires: number | null,
  value: Uint8Array | null,
  previous: number,
];

type ExpiringRow = [key: string, id: number, expires: number];

/** The newest version of a key that does not stay. */
interface Expiring {
  readonly key: string;
  readonly id: number;
  readonly expires: number;
}

/** SQLite orders every text before every blob, so this lies behind all keys. */
const behindAll = new Uint8Array(0);

/** Revisions per page of history that a watch reads. */
const historyPage = 2000;

/** How much of the file is read through a memory map: it counts as memory of the process once it has been read. */
const mappedBytes = 2 ** 26;

/** How many due keys are told at a time. */
const expiredAtOnce = 256;

/** A part of a range. */
export interface Page {
  readonly entries: Entry[];
  /** The key to go on behind; undefined when this was the last part. */
  readonly through: string | undefined;
}

/**
 * The connection that reads, on the caller's own thread. It never waits for the writer: SQLite's write-ahead log
 * lets both work at once, and every query names the revision it wants, so that it does not matter when the
 * writer's newest commits become visible here. What `versions` shows is completed by the tail, which whoever publishes
 * a commit adds to.
 */
export class Reader {
  readonly tail: Tail;
  readonly #database: Database;
  readonly #queries: ReturnType<typeof prepare>;

  constructor(path: string) {
    this.#database = openDatabase(path, { readOnly: true });
    try {
      this.#queries = prepare(this.#database);
      this.tail = readTail(this.#database);
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
    return readMark(this.#database, "floor");
  }

  get(key: string, revision: number): Entry | undefined {
    const bound = idOf(revision + 1, 0);
    const recent = this.tail.at(key, bound);
    if (recent !== undefined) return recent.gone ? undefined : this.version(recent.id);
    const row = this.#queries.get.get(key, bound);
    return row !== undefined && (row[5] === live || row[5] >= bound) ? entryOf(row) : undefined;
  }

  /** At most `limit` entries. */
  range({ prefix, after }: RangeOptions, revision: number, limit: number): Page {
    const first = firstKey(prefix, after);
    const end = prefixEnd(prefix);
    const bound = idOf(revision + 1, 0);
    const row = this.#queries.range.get(first, end ?? behindAll, bound, limit);
    const indexed = row === undefined ? [] : unpacked(row);
    // Behind the last of a full page there may be more in the index, which is not known here.
    const last = indexed.length === limit ? indexed.at(-1)?.key : undefined;
    const tail = this.tail.between(first, last === undefined ? end : keyBehind(last));
    const shown = overlaid(indexed, tail, bound, limit);
    return { entries: this.#read(shown), through: shown.length === limit ? shown.at(-1)?.key : last };
  }

  count({ prefix, after }: RangeOptions, revision: number): number {
    const first = firstKey(prefix, after);
    const end = prefixEnd(prefix);
    const bound = idOf(revision + 1, 0);
    // For keys that the tail tells of, the tail alone counts.
    const keys: string[] = [];
    let shown = 0;
    for (const [key, changes] of this.tail.between(first, end)) {
      const recent = newestBelow(changes, bound);
      if (recent === undefined) continue;
      keys.push(key);
      if (!recent.gone) shown++;
    }
    const [others] = this.#queries.count.get(first, end ?? behindAll, bound, JSON.stringify(keys)) ?? [];
    return shown + (others ?? 0);
  }

  /** One version by its id, for as long as history has it. */
  version(id: number): Entry | undefined {
    const row = this.#queries.version.get(id);
    return row && entryOf(row);
  }

  /** Reads a page of history for a watch. */
  history({ prefix, after, through: newest, previous }: HistoryRequest): HistoryPage {
    const through = Math.min(newest, after + historyPage);
    const end = prefixEnd(prefix) ?? behindAll;
    const rows = this.#queries.history.all(idOf(after + 1, 0), idOf(through + 1, 0), prefix, end);
    return { events: rows.map((row) => this.#event(row, previous)), through };
  }

  nextExpiry(): number | undefined {
    const [first] = this.#expiring(Number.MAX_SAFE_INTEGER);
    return first?.expires;
  }

  /** Some of the keys that are due by now. */
  expired(now: number): { key: string; revision: number }[] {
    return this.#expiring(now).map(({ key, id }) => ({ key, revision: revisionOf(id) }));
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

  /** The newest versions that expire up to a time: the first one of all, and some of those that follow. */
  #expiring(time: number): Expiring[] {
    const found: Expiring[] = [];
    for (const [key, changes] of this.tail.all()) {
      const newest = changes.at(-1);
      if (newest?.expires === undefined || newest.gone || newest.expires > time) continue;
      found.push({ key, id: newest.id, expires: newest.expires });
    }
    // Those that the tail has replaced are still among the indexed ones.
    let rows: ExpiringRow[] = [];
    let still: ExpiringRow[] = [];
    do {
      const [key, , expires] = rows.at(-1) ?? ["", 0, 0];
      rows = this.#queries.expiring.all(time, expires, key, expiredAtOnce);
      still = rows.filter((row) => !this.tail.has(row[0]));
    } while (still.length === 0 && rows.length === expiredAtOnce);
    found.push(...still.map(([key, id, expires]) => ({ key, id, expires })));
    return found.toSorted((a, b) => a.expires - b.expires).slice(0, expiredAtOnce);
  }

  /** Completes what is shown by the values that are still to be read. */
  #read(shown: readonly Shown[]): Entry[] {
    const ids = shown.flatMap((each) => ("id" in each ? [each.id] : []));
    const row = ids.length > 0 ? this.#queries.versions.get(JSON.stringify(ids)) : undefined;
    const read = new Map(row && unpacked(row).map((entry) => [entry.key, entry]));
    return shown.flatMap((each) => ("id" in each ? (read.get(each.key) ?? []) : each));
  }

  #event([key, id, created, expires, value, previousId]: LogRow, withPrevious: boolean): WatchEvent {
    const revision = revisionOf(id);
    const previous = withPrevious && previousId !== 0 ? this.version(previousId) : undefined;
    if (value === null) return { type: "delete", key, revision, previous };
    const entry = { key, value, revision, created, expires: expires ?? undefined };
    return { type: "put", key, revision, entry, previous };
  }
}

function prepare(database: Database) {
  // Reading through a memory map spares a system call and a copy for every page that our own cache does not have.
  explaining(() => database.exec(`PRAGMA cache_size = -16384; PRAGMA mmap_size = ${mappedBytes}`));
  const version = `SELECT versions.key, versions.id, versions.created, versions.expires, value, until
    FROM versions JOIN log ON log.id = versions.id`;
  const shown = `versions.key >= ?1 AND versions.key < ?2 AND versions.id < ?3 AND (until = ${live} OR until >= ?3)`;
  // A change from before the log told when its key was created and expires has a version that does.
  const logged = `SELECT log.key, log.id, coalesce(log.created, versions.created) AS created,
      coalesce(log.expires, versions.expires) AS expires, value, previous
    FROM log LEFT JOIN versions ON log.created IS NULL AND versions.key = log.key AND versions.id = log.id`;
  // Each value that crosses from SQLite to JavaScript costs more than finding it, so a whole page crosses at once.
  const packed = `SELECT json_group_array(json_array(key, id, created, expires, length(value))),
      CAST(group_concat(CAST(value AS TEXT), '') AS BLOB)`;
  return {
    newest: query<[number | null]>(database, "SELECT max(id) FROM log"),
    get: query<IndexedRow>(
      database,
      `${version} WHERE versions.key = ? AND versions.id < ? ORDER BY versions.id DESC LIMIT 1`,
    ),
    range: query<Packed>(
      database,
      `${packed} FROM (${version} WHERE ${shown} ORDER BY versions.key, versions.id LIMIT ?4)`,
    ),
    count: query<[number]>(
      database,
      `SELECT (SELECT count(*) FROM versions WHERE ${shown}) -
         (SELECT count(*) FROM json_each(?4) AS but CROSS JOIN versions WHERE versions.key = but.value AND ${shown})`,
    ),
    version: query<VersionRow>(database, `${logged} WHERE log.id = ?`),
    versions: query<Packed>(
      database,
      `${packed} FROM (SELECT logged.* FROM json_each(?) AS wanted CROSS JOIN (${logged}) AS logged
       WHERE logged.id = wanted.value)`,
    ),
    history: query<LogRow>(
      database,
      `${logged} WHERE log.id >= ? AND log.id < ? AND log.key >= ? AND log.key < ? ORDER BY log.id`,
    ),
    expiring: query<ExpiringRow>(
      database,
      `SELECT key, id, expires FROM versions
       WHERE expires IS NOT NULL AND until = ${live} AND expires <= ? AND (expires, key) > (?, ?)
       ORDER BY expires, key LIMIT ?`,
    ),
    firstFrom: query<[number, number]>(
      database,
      "SELECT id, time FROM log WHERE id >= ? ORDER BY id LIMIT 1",
    ),
  };
}

/** The least key that a range may return. */
function firstKey(prefix: string, after: string | undefined): string {
  return after === undefined || compareKeys(after, prefix) < 0 ? prefix : keyBehind(after);
}

/** The entries of a page; their values are parts of one buffer. */
function unpacked([descriptions, values]: Packed): Entry[] {
  let start = 0;
  return (JSON.parse(descriptions) as Description[]).map(([key, id, created, expires, length]) => {
    const value = values?.subarray(start, start + length) ?? behindAll;
    start += length;
    return { key, value, revision: revisionOf(id), created, expires: expires ?? undefined };
  });
}

function entryOf([key, id, created, expires, value]: VersionRow | IndexedRow): Entry {
  return { key, value, revision: revisionOf(id), created, expires: expires ?? undefined };
}
