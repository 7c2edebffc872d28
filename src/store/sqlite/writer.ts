import {
  openDatabase,
  resultCode,
  resultCodeOf,
  transaction,
  type Database,
  type Statement,
} from "./engine.js";
import { Indexer } from "./indexer.js";
import type {
  Committed,
  WriterFailure,
  CommitOutcome,
  Refused,
  WireMutation,
  WriterSettings,
} from "./protocol.js";
import { idOf, live, raiseMark, readMark, revisionOf } from "./schema.js";
import { readTail, type TailRange, type Tail, type TailMutation } from "./tail.js";

/** Mutations that one sweep visits: a few milliseconds of work, to delay commits little. */
const sweepSize = 512;

/** Size of the write-ahead log, roughly, at which it is checkpointed. */
const checkpointBytes = 16 * 2 ** 20;

/**
 * Estimated bytes in the write-ahead log: of a mutation besides its value when it is logged, indexed and swept, and of
 * a transaction whose last page is not full.
 */
const bytesPer = { logged: 256, indexed: 4096, swept: 4096, transaction: 8192 };

interface CurrentVersion {
  readonly id: number;
  readonly created: number;
}

/** The only connection that writes. All methods block, so it runs in a thread of its own. */
export class Writer {
  readonly #database: Database;
  readonly #find: Statement;
  readonly #append: Statement;
  readonly #tail: Tail;
  readonly #indexer: Indexer;
  /** Keys whose mutations the current transaction has added to the tail. */
  #addedKeys: string[] = [];
  /** Error of the last attempt to index; commits fail with it when the tail grows too long. */
  #indexError: unknown;
  #revision: number;
  #walBytes = 0;

  /** `maxPages` limits the size of the file, for tests of a full disk. */
  constructor({ path, indexAfter }: WriterSettings, { maxPages }: { maxPages?: number } = {}) {
    const database = openDatabase(path);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    // FULL syncs the log before a commit returns. Checkpoints run between commits, in checkpointIfDue().
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
   * Applies commits in order, in one transaction. If that fails, tries each in a transaction of its own, so that one
   * that is too large for the disk does not fail the others.
   */
  commit(commits: readonly (readonly WireMutation[])[], time: number): CommitOutcome[] {
    try {
      if (this.#indexError !== undefined && this.#indexer.overdue) throw this.#indexError;
      return this.#transaction(() => commits.map((mutations) => this.#apply(mutations, time)));
    } catch (error) {
      const failure = writerFailure(error);
      if (commits.length === 1) return [{ type: "failed", ...failure }];
      const outcomes = commits.flatMap((mutations) => this.commit([mutations], time));
      if (failure.reason !== "uncertain") return outcomes;
      // What the first attempt wrote may still be in the file if the second one wrote nothing.
      return outcomes.map((outcome) => {
        const { type } = outcome;
        return type === "failed" ? { type, reason: "uncertain", message: outcome.message } : outcome;
      });
    }
  }

  /**
   * Deletes part of the history below the floor. Only indexed mutations are deleted; when the floor lies beyond them,
   * part of the tail is indexed instead.
   */
  sweep(floor: number): { more: boolean; indexed: TailRange | undefined } {
    const end = idOf(Math.min(floor + 1, this.#revision), 0);
    const indexed = readMark(this.#database, "indexed");
    const swept = this.#transaction(() => this.#sweep(floor, Math.min(end, indexed + 1)));
    this.#walBytes += swept * bytesPer.swept;
    if (swept === sweepSize) return { more: true, indexed: undefined };
    return indexed + 1 < end ? { more: true, indexed: this.#index() } : { more: false, indexed: undefined };
  }

  /** Indexes part of the tail when it is due. */
  indexIfDue(): TailRange | undefined {
    if (!this.#indexer.due) return undefined;
    try {
      const range = this.#index();
      this.#indexError = undefined;
      return range;
    } catch (error) {
      // For example a full disk. The log has everything; the next commit tries again.
      this.#indexError = error;
      return undefined;
    }
  }

  /** Checkpoints the write-ahead log into the database file when it is large enough. */
  checkpointIfDue(): void {
    if (this.#walBytes < checkpointBytes) return;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)");
      this.#walBytes = 0;
    } catch {
      // For example a full disk. The write-ahead log has everything; the next commit tries again.
    }
  }

  /** Indexes everything and empties the write-ahead log, so that the database file is the whole store. */
  close(): void {
    try {
      this.#indexer.finish(this.#newest);
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The next opening reads the rest from the write-ahead log.
    }
    this.#database.close();
  }

  #apply(mutations: readonly WireMutation[], time: number): Committed | Refused {
    const found: (CurrentVersion | undefined)[] = [];
    for (const [index, { key, expect }] of mutations.entries()) {
      const current = this.#current(key);
      const actual = current === undefined ? 0 : revisionOf(current.id);
      if (expect !== -1 && expect !== actual) return { type: "refused", mutation: index, actual };
      found.push(current);
    }
    const revision = this.#revision + 1;
    const replaced: number[] = [];
    const created: number[] = [];
    let changed = false;
    for (const [place, { key, value, expires }] of mutations.entries()) {
      const current = found[place];
      replaced.push(current?.id ?? 0);
      created.push(current?.created ?? revision);
      if (value === undefined && current === undefined) continue;
      this.#log(key, time, value, {
        id: idOf(revision, place),
        previous: current?.id ?? 0,
        created: current?.created ?? revision,
        expires,
        deleted: value === undefined,
      });
      changed = true;
    }
    if (changed) this.#revision = revision;
    return { type: "committed", revision: this.#revision, replaced, created };
  }

  #log(key: string, time: number, value: Uint8Array | undefined, mutation: TailMutation): void {
    const { id, previous, created, expires } = mutation;
    this.#append.run(id, key, previous, time, value ?? null, created, expires ?? null);
    this.#tail.add(key, mutation);
    this.#addedKeys.push(key);
    this.#walBytes += bytesPer.logged + (value?.length ?? 0);
    this.#indexer.logged(value?.length ?? 0);
  }

  #current(key: string): CurrentVersion | undefined {
    const recent = this.#tail.newest(key);
    if (recent !== undefined) return recent.deleted ? undefined : recent;
    const row = this.#find.get(key) as { id: number; created: number; until: number } | undefined;
    return row?.until === live ? row : undefined;
  }

  /** Deletes what the mutations between the mark `swept` and `end` made unreadable; returns how many it visited. */
  #sweep(floor: number, end: number): number {
    raiseMark(this.#database, "floor", floor);
    const from = readMark(this.#database, "swept");
    const mutations = this.#database
      .prepare(
        "SELECT id, key, previous, value IS NULL AS deleted FROM log WHERE id > ? AND id < ? ORDER BY id LIMIT ?",
      )
      .all(from, end, sweepSize) as unknown as {
      id: number;
      key: string;
      previous: number;
      deleted: number;
    }[];
    const deleteLogged = this.#database.prepare("DELETE FROM log WHERE id = ?");
    const deleteVersion = this.#database.prepare("DELETE FROM versions WHERE key = ? AND id = ?");
    for (const { id, key, previous, deleted } of mutations) {
      if (previous !== 0) {
        deleteLogged.run(previous);
        deleteVersion.run(key, previous);
      }
      if (deleted) deleteLogged.run(id);
    }
    raiseMark(this.#database, "swept", mutations.at(-1)?.id ?? from);
    return mutations.length;
  }

  #index(): TailRange | undefined {
    const before = this.#tail.size;
    const range = this.#indexer.step(this.#newest);
    this.#walBytes += (before - this.#tail.size) * bytesPer.indexed;
    return range;
  }

  /** Upper bound of the ids in the log. */
  get #newest(): number {
    return idOf(this.#revision + 1, 0) - 1;
  }

  /** Runs a transaction; when it fails, the changes to memory are undone too. */
  #transaction<Result>(body: () => Result): Result {
    const revision = this.#revision;
    this.#addedKeys = [];
    this.#walBytes += bytesPer.transaction;
    try {
      return transaction(this.#database, body);
    } catch (error) {
      this.#revision = revision;
      for (const key of this.#addedKeys.toReversed()) this.#tail.removeNewest(key);
      throw error;
    }
  }
}

export function writerFailure(error: unknown): WriterFailure {
  const message = error instanceof Error ? error.message : String(error);
  const code = resultCodeOf(error);
  if (code === resultCode.full) return { reason: "full", message };
  if (code === resultCode.corrupt || code === resultCode.notADatabase) return { reason: "damaged", message };
  // The write-ahead log may have the whole commit when syncing it fails. A process that is killed before the next commit
  // overwrites it finds it there, as if it had succeeded.
  if (code === resultCode.ioError) return { reason: "uncertain", message };
  return { reason: "failed", message };
}
