import {
  openDatabase,
  resultCode,
  resultCodeOf,
  transaction,
  type Database,
  type Statement,
} from "./engine.js";
import { Indexer } from "./indexer.js";
import { raiseMark, readMark } from "./marks.js";
import type { Committed, Failure, Outcome, Refused, WireMutation, WriterSettings } from "./protocol.js";
import { idOf, live, revisionOf } from "./schema.js";
import { readTail, type Stretch, type Tail, type TailMutation } from "./tail.js";

/** How many changes one sweep looks at: a few milliseconds, so that commits in between hardly notice. */
const sweepSize = 512;

/** After about this many bytes in the write-ahead log they are moved into the database file. */
const checkpointBytes = 16 * 2 ** 20;

/**
 * What is added to the write-ahead log, about: by a change besides its value, when it is brought into `versions` and
 * when it is cleared away, and by a transaction whose last page is not full.
 */
const bytesPer = { logged: 256, indexed: 4096, swept: 4096, transaction: 8192 };

interface Found {
  readonly id: number;
  readonly created: number;
}

/** The one connection that writes. Everything here blocks, which is why it runs in a thread of its own. */
export class Writer {
  readonly #database: Database;
  readonly #find: Statement;
  readonly #append: Statement;
  readonly #tail: Tail;
  readonly #indexer: Indexer;
  /** The keys whose changes the transaction under way has added to the tail. */
  #added: string[] = [];
  /** Why the tail could not be brought in the last time; should it grow too long, commits fail for that reason. */
  #unindexed: unknown;
  #revision: number;
  #unmoved = 0;

  /** `maxPages` bounds the size of the file, which a test can reach more easily than that of a disk. */
  constructor({ path, indexAfter }: WriterSettings, { maxPages }: { maxPages?: number } = {}) {
    const database = openDatabase(path);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    // FULL syncs the log before a commit returns; the moving into the file we do ourselves, between commits.
    database.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -32768");
    database.exec(`PRAGMA journal_size_limit = ${4 * checkpointBytes}`);
    this.#database = database;
    this.#find = database.prepare(
      `SELECT id, created, until FROM versions WHERE key = ? ORDER BY id DESC LIMIT 1`,
    );
    this.#append = database.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#revision = revisionOf(Number(database.prepare("SELECT max(id) AS id FROM log").get()?.["id"] ?? 0));
    this.#tail = readTail(database);
    this.#indexer = new Indexer(database, this.#tail, indexAfter);
  }

  /**
   * Applies commits in order, in one transaction. Should that fail, each is tried again by itself, so that one that is
   * too large for the disk does not take the others with it.
   */
  commit(commits: readonly (readonly WireMutation[])[], time: number): Outcome[] {
    try {
      if (this.#unindexed !== undefined && this.#indexer.overdue) throw this.#unindexed;
      return this.#transaction(() => commits.map((changes) => this.#apply(changes, time)));
    } catch (error) {
      if (commits.length === 1) return [{ type: "failed", ...failureOf(error) }];
      return commits.flatMap((changes) => this.commit([changes], time));
    }
  }

  /**
   * One step of clearing away what lies below the floor. Only what is in `versions` is cleared away; where the floor is
   * beyond that, the next stretch of the tail is brought in.
   */
  sweep(floor: number): { more: boolean; indexed: Stretch | undefined } {
    const end = idOf(Math.min(floor + 1, this.#revision), 0);
    const indexed = readMark(this.#database, "indexed");
    const swept = this.#transaction(() => this.#sweep(floor, Math.min(end, indexed + 1)));
    this.#unmoved += swept * bytesPer.swept;
    if (swept === sweepSize) return { more: true, indexed: undefined };
    return indexed + 1 < end ? { more: true, indexed: this.#index() } : { more: false, indexed: undefined };
  }

  /** Brings some of the tail into `versions` when it is time to. */
  indexIfDue(): Stretch | undefined {
    if (!this.#indexer.due) return undefined;
    try {
      const stretch = this.#index();
      this.#unindexed = undefined;
      return stretch;
    } catch (error) {
      // Nothing is lost, the log has it all (the disk may be full); the next commit tries again.
      this.#unindexed = error;
      return undefined;
    }
  }

  /** Moves the write-ahead log into the database file when there is enough of it. */
  checkpointIfDue(): void {
    if (this.#unmoved < checkpointBytes) return;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)");
      this.#unmoved = 0;
    } catch {
      // Nothing is lost, the log still has it all (the disk may be full); the next commit tries again.
    }
  }

  /** Leaves everything in the database file itself, which then is all that a backup needs to copy. */
  close(): void {
    try {
      this.#indexer.finish(this.#newest);
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The log keeps what could not be moved, and the next opening finds it there.
    }
    this.#database.close();
  }

  #apply(changes: readonly WireMutation[], time: number): Committed | Refused {
    const found: (Found | undefined)[] = [];
    for (const [index, { key, expect }] of changes.entries()) {
      const current = this.#current(key);
      const actual = current === undefined ? 0 : revisionOf(current.id);
      if (expect !== -1 && expect !== actual) return { type: "refused", mutation: index, actual };
      found.push(current);
    }
    const revision = this.#revision + 1;
    const replaced: number[] = [];
    const created: number[] = [];
    let changed = false;
    for (const [place, { key, value, expires }] of changes.entries()) {
      const current = found[place];
      replaced.push(current?.id ?? 0);
      created.push(current?.created ?? revision);
      if (value === undefined && current === undefined) continue;
      this.#log(key, time, value, {
        id: idOf(revision, place),
        previous: current?.id ?? 0,
        created: current?.created ?? revision,
        expires,
        gone: value === undefined,
      });
      changed = true;
    }
    if (changed) this.#revision = revision;
    return { type: "committed", revision: this.#revision, replaced, created };
  }

  #log(key: string, time: number, value: Uint8Array | undefined, change: TailMutation): void {
    const { id, previous, created, expires } = change;
    this.#append.run(id, key, previous, time, value ?? null, created, expires ?? null);
    this.#tail.add(key, change);
    this.#added.push(key);
    this.#unmoved += bytesPer.logged + (value?.length ?? 0);
    this.#indexer.logged(value?.length ?? 0);
  }

  #current(key: string): Found | undefined {
    const recent = this.#tail.newest(key);
    if (recent !== undefined) return recent.gone ? undefined : recent;
    const row = this.#find.get(key) as { id: number; created: number; until: number } | undefined;
    return row?.until === live ? row : undefined;
  }

  /** Deletes some of what the changes between the mark `swept` and `end` made unreadable; returns how many it looked at. */
  #sweep(floor: number, end: number): number {
    raiseMark(this.#database, "floor", floor);
    const from = readMark(this.#database, "swept");
    const changes = this.#database
      .prepare(
        "SELECT id, key, previous, value IS NULL AS gone FROM log WHERE id > ? AND id < ? ORDER BY id LIMIT ?",
      )
      .all(from, end, sweepSize) as unknown as { id: number; key: string; previous: number; gone: number }[];
    const forgetChange = this.#database.prepare("DELETE FROM log WHERE id = ?");
    const forgetVersion = this.#database.prepare("DELETE FROM versions WHERE key = ? AND id = ?");
    for (const { id, key, previous, gone } of changes) {
      if (previous !== 0) {
        forgetChange.run(previous);
        forgetVersion.run(key, previous);
      }
      if (gone) forgetChange.run(id);
    }
    raiseMark(this.#database, "swept", changes.at(-1)?.id ?? from);
    return changes.length;
  }

  #index(): Stretch | undefined {
    const before = this.#tail.size;
    const stretch = this.#indexer.step(this.#newest);
    this.#unmoved += (before - this.#tail.size) * bytesPer.indexed;
    return stretch;
  }

  /** The greatest id that a change can have by now. */
  get #newest(): number {
    return idOf(this.#revision + 1, 0) - 1;
  }

  /** A transaction that leaves no trace in memory either when it fails. */
  #transaction<Result>(body: () => Result): Result {
    const revision = this.#revision;
    this.#added = [];
    this.#unmoved += bytesPer.transaction;
    try {
      return transaction(this.#database, body);
    } catch (error) {
      this.#revision = revision;
      for (const key of this.#added.toReversed()) this.#tail.takeBack(key);
      throw error;
    }
  }
}

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const code = resultCodeOf(error);
  if (code === resultCode.full) return { reason: "full", message };
  if (code === resultCode.corrupt || code === resultCode.notADatabase) return { reason: "damaged", message };
  return { reason: "failed", message };
}
