import { StoreDamaged } from "../errors.js";
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
import { chainSum, mutationSum, packSums, sumOf, unpackSums } from "./integrity/checksum.js";
import { Keeper } from "./integrity/keeper.js";
import {
  appendStatement,
  idOf,
  live,
  newestLogged,
  raiseMark,
  readMark,
  revisionOf,
  writeMark,
} from "./schema.js";
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

interface SweptRow {
  readonly id: number;
  readonly key: string;
  readonly previous: number;
  readonly sums: number;
  readonly deleted: number;
}

/** The only connection that writes. All methods block, so it runs in a thread of its own. */
export class Writer {
  readonly #database: Database;
  readonly #find: Statement;
  readonly #append: Statement;
  readonly #tail: Tail;
  readonly #indexer: Indexer;
  readonly #keeper: Keeper;
  /** Keys whose mutations the current transaction has added to the tail. */
  #addedKeys: string[] = [];
  /** Error of the last attempt to index; commits fail with it when the tail grows too long. */
  #indexError: unknown;
  #revision: number;
  /** Checksum of the log up to the revision. */
  #chain: number;
  #walBytes = 0;

  /** `maxPages` limits the size of the file, for tests of a full disk. */
  constructor({ path, indexAfter }: WriterSettings, { maxPages }: { maxPages?: number } = {}) {
    this.#keeper = new Keeper(path);
    const database = openDatabase(path);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    // FULL syncs the log before a commit returns. Checkpoints run between commits, in checkpointIfDue().
    database.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -32768");
    database.exec(`PRAGMA journal_size_limit = ${4 * checkpointBytes}`);
    this.#database = database;
    this.#find = database.prepare(
      `SELECT id, created, until FROM versions WHERE key = ? ORDER BY id DESC LIMIT 1`,
    );
    this.#append = database.prepare(appendStatement);
    ({ revision: this.#revision, chain: this.#chain } = newestLogged(database));
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
      const outcomes = this.#transaction(() => commits.map((mutations) => this.#apply(mutations, time)));
      this.#keeper.advance(this.#newestLogged);
      return outcomes;
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
    return indexed + 1 < end
      ? { more: true, indexed: this.#indexStep() }
      : { more: false, indexed: undefined };
  }

  /** Indexes part of the tail when it is due. */
  indexIfDue(): TailRange | undefined {
    if (!this.#indexer.due) return undefined;
    try {
      const range = this.#indexStep();
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
      this.#keeper.checkpoint(this.#database);
      this.#walBytes = 0;
    } catch {
      // For example a full disk. The write-ahead log has everything; the next commit tries again.
    }
  }

  /** Makes sure that the high-water mark reaches the disk; see `Keeper`. */
  syncMark(): void {
    this.#keeper.sync();
  }

  /** Indexes everything and empties the write-ahead log, so that the database file is the whole store. */
  close(): void {
    try {
      if (this.#tail.size > 0) this.#index((newest) => this.#indexer.finish(newest));
    } catch {
      // The next opening reads the rest from the log.
    }
    this.#keeper.close(this.#database, this.#newestLogged);
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
    const sum = mutationSum({ id, key, created, expires, value });
    const chain = chainSum(this.#chain, { sum, previous, time });
    this.#append.run(id, key, previous, created, time, packSums(sum, chain), expires ?? null, value ?? null);
    this.#chain = chain;
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
        `SELECT id, key, previous, sums, value IS NULL AS deleted FROM log
         WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
      )
      .all(from, end, sweepSize) as unknown as SweptRow[];
    const last = mutations.at(-1);
    if (last === undefined) return 0;
    const deleteLogged = this.#database.prepare("DELETE FROM log WHERE id = ? RETURNING sums");
    const deleteVersion = this.#database.prepare("DELETE FROM versions WHERE key = ? AND id = ?");
    let count = readMark(this.#database, "swept_count");
    let total = readMark(this.#database, "swept_sum");
    for (const { id, key, previous, sums, deleted } of mutations) {
      if (previous !== 0) {
        const replaced = deleteLogged.get(previous);
        if (replaced === undefined)
          throw new StoreDamaged(`mutation ${previous} of ${key} is not in the log`);
        count--;
        total -= sumOf(Number(replaced["sums"]));
        deleteVersion.run(key, previous);
      }
      if (deleted) deleteLogged.get(id);
      else {
        count++;
        total += sumOf(sums);
      }
    }
    raiseMark(this.#database, "swept", last.id);
    // The chain starts after what has been swept.
    writeMark(this.#database, "anchor", unpackSums(last.sums).chain);
    writeMark(this.#database, "swept_count", count);
    writeMark(this.#database, "swept_sum", total | 0);
    return mutations.length;
  }

  #indexStep(): TailRange | undefined {
    return this.#index((newest) => this.#indexer.step(newest));
  }

  #index<Result>(run: (newest: number) => Result): Result {
    this.#keeper.beforeWrite(this.#newestLogged);
    const before = this.#tail.size;
    const result = run(this.#newest);
    this.#walBytes += (before - this.#tail.size) * bytesPer.indexed;
    return result;
  }

  get #newestLogged(): { readonly revision: number; readonly chain: number } {
    return { revision: this.#revision, chain: this.#chain };
  }

  /** Upper bound of the ids in the log. */
  get #newest(): number {
    return idOf(this.#revision + 1, 0) - 1;
  }

  /** Runs a transaction; when it fails, the changes to memory are undone too. */
  #transaction<Result>(body: () => Result): Result {
    const { revision, chain } = this.#newestLogged;
    this.#keeper.beforeWrite({ revision, chain });
    this.#addedKeys = [];
    this.#walBytes += bytesPer.transaction;
    try {
      return transaction(this.#database, body);
    } catch (error) {
      this.#revision = revision;
      this.#chain = chain;
      for (const key of this.#addedKeys.toReversed()) this.#tail.removeNewest(key);
      throw error;
    }
  }
}

export function writerFailure(error: unknown): WriterFailure {
  const message = error instanceof Error ? error.message : String(error);
  const code = resultCodeOf(error);
  if (error instanceof StoreDamaged) return { reason: "damaged", message };
  if (code === resultCode.full || (error as NodeJS.ErrnoException).code === "ENOSPC")
    return { reason: "full", message };
  if (code === resultCode.corrupt || code === resultCode.notADatabase) return { reason: "damaged", message };
  // The write-ahead log may have the whole commit when syncing it fails. A process that is killed before the next commit
  // overwrites it finds it there, as if it had succeeded.
  if (code === resultCode.ioError) return { reason: "uncertain", message };
  return { reason: "failed", message };
}
