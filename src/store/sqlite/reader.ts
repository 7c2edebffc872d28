import { compareKeys, prefixEnd } from "../keys.js";
import type { Entry, RangeOptions, StoreEvent } from "../store.js";
import type { HistoryPage, HistoryRequest } from "../watch/hub.js";
import { StoreDamaged } from "../errors.js";
import { openDatabase, type Database } from "./engine.js";
import { overlayTail, type EntryOrId, type LargeEntry } from "./overlay.js";
import { translateErrors, query } from "./query.js";
import { mutationSum, sumOf } from "./integrity/checksum.js";
import { idOf, live, newestLogged, readMark, revisionOf } from "./schema.js";
import { keyAfter, newestBelow, readTail, type Tail } from "./tail.js";

/** Version with the checksums of its mutation; an indexed version has null when its mutation is missing. */
type VersionRow = [
  key: string,
  id: number,
  created: number,
  expires: number | null,
  value: Uint8Array | null,
  sums: number | null,
];

type IndexedRow = [...VersionRow, until: number];

/** JSON description of a version; small values are concatenated in a separate blob. */
type Description = [
  key: string,
  id: number,
  created: number,
  expires: number | null,
  length: number,
  sums: number | null,
];

/** Bytes of a value up to which it is read together with others; larger ones are read one by one. */
const smallValue = 16 * 1024;

/** JSON array of descriptions, and their concatenated values. */
type Packed = [string, Uint8Array | null];

type LogRow = [
  key: string,
  id: number,
  created: number,
  expires: number | null,
  value: Uint8Array | null,
  sums: number,
  previous: number,
];

type ExpiringRow = [key: string, id: number, expires: number];

/** Newest version of a key that has a time to live. */
interface Expiring {
  readonly key: string;
  readonly id: number;
  readonly expires: number;
}

/** Upper bound of all keys: SQLite orders every blob after every text. */
const afterAllKeys = new Uint8Array(0);

/** Revisions per page of history that a watch reads. */
const historyPage = 2000;

/** Bytes of the file that are memory-mapped; pages that were read count as memory of the process. */
const mappedBytes = 2 ** 26;

/** Expired keys returned at a time. */
const expiredPage = 256;

/** Part of a range. */
export interface RangePage {
  readonly entries: (Entry | LargeEntry)[];
  /** Last key covered by this part; undefined when there is no further part. */
  readonly through: string | undefined;
}

/**
 * Connection that reads, on the caller's thread. It never waits for the writer, because SQLite's write-ahead log lets
 * both work at once. Every query names its revision, so it does not matter when the writer's newest commits become
 * visible here. Results of `versions` are merged with the tail, to which the store adds every commit it publishes.
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

  /** Newest revision in the file, and the checksum of the log up to it. */
  newest(): { readonly revision: number; readonly chain: number } {
    return newestLogged(this.#database);
  }

  floor(): number {
    return readMark(this.#database, "floor");
  }

  get(key: string, revision: number): Entry | undefined {
    const bound = idOf(revision + 1, 0);
    const recent = this.tail.at(key, bound);
    if (recent !== undefined) return recent.deleted ? undefined : this.existing({ key, id: recent.id });
    const row = this.#queries.get.get(key, bound);
    return row !== undefined && (row[6] === live || row[6] >= bound) ? entryOf(row) : undefined;
  }

  /** At most `limit` entries. */
  range({ prefix, after }: RangeOptions, revision: number, limit: number): RangePage {
    const first = firstKey(prefix, after);
    const end = prefixEnd(prefix);
    const bound = idOf(revision + 1, 0);
    const row = this.#queries.range.get(first, end ?? afterAllKeys, bound, limit);
    const indexed = row === undefined ? [] : unpack(row);
    // After a full page the index may have more keys, so the tail must not be read beyond its last key.
    const last = indexed.length === limit ? indexed.at(-1)?.key : undefined;
    const tail = this.tail.between(first, last === undefined ? end : keyAfter(last));
    const merged = overlayTail(indexed, tail, bound, limit);
    return { entries: this.#resolve(merged), through: merged.length === limit ? merged.at(-1)?.key : last };
  }

  count({ prefix, after }: RangeOptions, revision: number): number {
    const first = firstKey(prefix, after);
    const end = prefixEnd(prefix);
    const bound = idOf(revision + 1, 0);
    // Keys in the tail are counted from the tail alone.
    const keys: string[] = [];
    let inTail = 0;
    for (const [key, mutations] of this.tail.between(first, end)) {
      const recent = newestBelow(mutations, bound);
      if (recent === undefined) continue;
      keys.push(key);
      if (!recent.deleted) inTail++;
    }
    const [others] = this.#queries.count.get(first, end ?? afterAllKeys, bound, JSON.stringify(keys)) ?? [];
    return inTail + (others ?? 0);
  }

  /** Version by its id; undefined when it has been compacted. */
  version(id: number): Entry | undefined {
    const row = this.#queries.version.get(id);
    return row && entryOf(row);
  }

  /** Version that must exist. @throws {StoreDamaged} when it does not, or is not what was committed. */
  existing({ key, id }: Pick<LargeEntry, "key" | "id">): Entry {
    const entry = this.version(id);
    if (entry?.key !== key) throw damagedVersion(key, id);
    return entry;
  }

  /** Reads a page of history for a watch. */
  history({ prefix, after, through: newest, previous }: HistoryRequest): HistoryPage {
    const through = Math.min(newest, after + historyPage);
    const end = prefixEnd(prefix) ?? afterAllKeys;
    const rows = this.#queries.history.all(idOf(after + 1, 0), idOf(through + 1, 0), prefix, end);
    return { events: rows.map((row) => this.#event(row, previous)), through };
  }

  nextExpiry(): number | undefined {
    const [first] = this.#expiring(Number.MAX_SAFE_INTEGER);
    return first?.expires;
  }

  /** Keys that have expired; not necessarily all of them. */
  expired(now: number): { key: string; revision: number }[] {
    return this.#expiring(now).map(({ key, id }) => ({ key, revision: revisionOf(id) }));
  }

  /**
   * Newest revision between `floor` and `newest` that was committed at or before a time. Bisects the log, which is in
   * order of time and has gaps where it was swept.
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

  /** Newest versions that expire up to a time: the earliest, and some of those that follow. */
  #expiring(time: number): Expiring[] {
    const found: Expiring[] = [];
    for (const [key, mutations] of this.tail.all()) {
      const newest = mutations.at(-1);
      if (newest?.expires === undefined || newest.deleted || newest.expires > time) continue;
      found.push({ key, id: newest.id, expires: newest.expires });
    }
    // The index still has versions that the tail has replaced.
    let rows: ExpiringRow[] = [];
    let current: ExpiringRow[] = [];
    do {
      const [key, , expires] = rows.at(-1) ?? ["", 0, 0];
      rows = this.#queries.expiring.all(time, expires, key, expiredPage);
      current = rows.filter((row) => !this.tail.has(row[0]));
    } while (current.length === 0 && rows.length === expiredPage);
    found.push(...current.map(([key, id, expires]) => ({ key, id, expires })));
    return found.toSorted((a, b) => a.expires - b.expires).slice(0, expiredPage);
  }

  /** Reads the entries that are given by id, except for large ones. */
  #resolve(entries: readonly EntryOrId[]): (Entry | LargeEntry)[] {
    const isRead = (each: EntryOrId): each is Entry | LargeEntry => !("id" in each) || "large" in each;
    const ids = entries.flatMap((each) => (isRead(each) ? [] : [each.id]));
    const row = ids.length > 0 ? this.#queries.versions.get(JSON.stringify(ids)) : undefined;
    const read = new Map(row && unpack(row).map((entry) => [entry.key, entry]));
    return entries.map((each) => {
      if (isRead(each)) return each;
      const entry = read.get(each.key);
      if (entry === undefined) throw damagedVersion(each.key, each.id);
      return entry;
    });
  }

  #event(row: LogRow, withPrevious: boolean): StoreEvent {
    const [key, id, created, expires, value, , previousId] = row;
    checkSum(row);
    const revision = revisionOf(id);
    const previous = withPrevious && previousId !== 0 ? this.version(previousId) : undefined;
    if (value === null) return { type: "delete", key, revision, previous };
    const entry = { key, value, revision, created, expires: expires ?? undefined };
    return { type: "put", key, revision, entry, previous };
  }
}

function prepare(database: Database) {
  // A memory map saves a system call and a copy for every page that is not in the connection's cache.
  translateErrors(() => database.exec(`PRAGMA cache_size = -16384; PRAGMA mmap_size = ${mappedBytes}`));
  // Where only the length of a value is used, SQLite does not read the value.
  const sized = (value: string): string =>
    `coalesce(length(${value}), 0) AS size, CASE WHEN length(${value}) <= ${smallValue} THEN ${value} END AS value`;
  const version = `SELECT versions.key, versions.id, versions.created, versions.expires, value, sums, until
    FROM versions LEFT JOIN log ON log.id = versions.id`;
  const visible = `versions.key >= ?1 AND versions.key < ?2 AND versions.id < ?3 AND (until = ${live} OR until >= ?3)`;
  const logged = "SELECT key, id, created, expires, value, sums, previous FROM log";
  // Passing a value from SQLite to JavaScript costs more than finding it, so a page is passed as two values.
  const packed = `SELECT json_group_array(json_array(key, id, created, expires, size, sums)),
      CAST(group_concat(CAST(value AS TEXT), '') AS BLOB)`;
  return {
    get: query<IndexedRow>(
      database,
      `${version} WHERE versions.key = ? AND versions.id < ? ORDER BY versions.id DESC LIMIT 1`,
    ),
    range: query<Packed>(
      database,
      `${packed} FROM (SELECT versions.key, versions.id, versions.created, versions.expires, ${sized("log.value")}, sums
       FROM versions LEFT JOIN log ON log.id = versions.id
       WHERE ${visible} ORDER BY versions.key, versions.id LIMIT ?4)`,
    ),
    count: query<[number]>(
      database,
      `SELECT (SELECT count(*) FROM versions WHERE ${visible}) -
         (SELECT count(*) FROM json_each(?4) AS but CROSS JOIN versions WHERE versions.key = but.value AND ${visible})`,
    ),
    version: query<VersionRow>(database, `${logged} WHERE log.id = ?`),
    versions: query<Packed>(
      database,
      `${packed} FROM (SELECT log.key, log.id, log.created, log.expires, ${sized("log.value")}, sums
       FROM json_each(?) AS wanted CROSS JOIN log ON log.id = wanted.value)`,
    ),
    history: query<LogRow>(
      database,
      `${logged} WHERE id >= ? AND id < ? AND key >= ? AND key < ? ORDER BY id`,
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

/** Lower bound of the keys of a range. */
function firstKey(prefix: string, after: string | undefined): string {
  return after === undefined || compareKeys(after, prefix) < 0 ? prefix : keyAfter(after);
}

/** Entries of a page; their values are views into one buffer. */
function unpack([descriptions, values]: Packed): (Entry | LargeEntry)[] {
  let start = 0;
  return (JSON.parse(descriptions) as Description[]).map(([key, id, created, expires, length, sums]) => {
    if (length > smallValue) return { key, id, large: true };
    const value = values?.subarray(start, start + length) ?? afterAllKeys;
    start += length;
    return entryOf([key, id, created, expires, value, sums]);
  });
}

/** Entry of a put. @throws {StoreDamaged} when it is not what was committed. */
function entryOf(row: VersionRow | IndexedRow): Entry {
  const [key, id, created, expires, value] = row;
  checkSum(row);
  if (value === null) throw damagedVersion(key, id);
  return { key, value, revision: revisionOf(id), created, expires: expires ?? undefined };
}

function checkSum([key, id, created, expires, value, sums]: VersionRow | IndexedRow | LogRow): void {
  if (sums === null || sumOf(sums) !== mutationSum({ id, key, created, expires, value }))
    throw damagedVersion(key, id);
}

function damagedVersion(key: string, id: number): StoreDamaged {
  return new StoreDamaged(
    `${key} at revision ${revisionOf(id)} is damaged on disk and cannot be read; stop the process, and see what else ` +
      "is damaged with fettle verify",
  );
}
