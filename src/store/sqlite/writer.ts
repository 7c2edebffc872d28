import { openDatabase, resultCode, resultCodeOf, type Database, type Statement } from "./engine.js";
import type { Committed, Failure, Outcome, Refused, WireChange } from "./protocol.js";
import { idOf, live, revisionOf } from "./schema.js";

/** How many changes one sweep looks at: a few milliseconds, so that commits in between hardly notice. */
const sweepSize = 512;

/** After about this many bytes in the write-ahead log they are moved into the database file. */
const checkpointBytes = 16 * 2 ** 20;

/** What a change adds to the write-ahead log besides its value: about one page of each tree. */
const bytesPerChange = 4096;

interface Found {
  readonly id: number;
  readonly created: number;
}

/** The one connection that writes. Everything here blocks, which is why it runs in a thread of its own. */
export class Writer {
  readonly #database: Database;
  readonly #find: Statement;
  readonly #append: Statement;
  readonly #replace: Statement;
  readonly #insert: Statement;
  #revision: number;
  #unmoved = 0;

  /** `maxPages` bounds the size of the file, which a test can reach more easily than that of a disk. */
  constructor(path: string, { maxPages }: { maxPages?: number } = {}) {
    const database = openDatabase(path);
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
    // FULL syncs the log before a commit returns; the moving into the file we do ourselves, between commits.
    database.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -32768");
    database.exec(`PRAGMA journal_size_limit = ${4 * checkpointBytes}`);
    this.#database = database;
    this.#find = database.prepare(
      `SELECT id, created, until FROM versions WHERE key = ? ORDER BY id DESC LIMIT 1`,
    );
    this.#append = database.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?)");
    this.#replace = database.prepare("UPDATE versions SET until = ? WHERE key = ? AND id = ?");
    this.#insert = database.prepare(`INSERT INTO versions VALUES (?, ?, ${live}, ?, ?)`);
    this.#revision = revisionOf(Number(database.prepare("SELECT max(id) AS id FROM log").get()?.["id"] ?? 0));
  }

  /**
   * Applies commits in order, in one transaction. Should that fail, each is tried again by itself, so that one that is
   * too large for the disk does not take the others with it.
   */
  commit(commits: readonly (readonly WireChange[])[], time: number): Outcome[] {
    try {
      return this.#transaction(() => commits.map((changes) => this.#apply(changes, time)));
    } catch (error) {
      if (commits.length === 1) return [{ type: "failed", ...failureOf(error) }];
      return commits.flatMap((changes) => this.commit([changes], time));
    }
  }

  /** One step of clearing away what lies below the floor; true when there is more to do. */
  sweep(floor: number): boolean {
    return this.#transaction(() => {
      this.#raise("floor", floor);
      const end = idOf(Math.min(floor + 1, this.#revision), 0);
      const from = this.#mark("swept");
      const changes = this.#database
        .prepare(
          "SELECT id, key, previous, value IS NULL AS gone FROM log WHERE id > ? AND id < ? ORDER BY id LIMIT ?",
        )
        .all(from, end, sweepSize) as unknown as {
        id: number;
        key: string;
        previous: number;
        gone: number;
      }[];
      const forgetChange = this.#database.prepare("DELETE FROM log WHERE id = ?");
      const forgetVersion = this.#database.prepare("DELETE FROM versions WHERE key = ? AND id = ?");
      for (const { id, key, previous, gone } of changes) {
        if (previous !== 0) {
          forgetChange.run(previous);
          forgetVersion.run(key, previous);
        }
        if (gone) forgetChange.run(id);
      }
      this.#raise("swept", changes.at(-1)?.id ?? from);
      this.#unmoved += changes.length * bytesPerChange;
      return changes.length === sweepSize;
    });
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
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The log keeps what could not be moved, and the next opening finds it there.
    }
    this.#database.close();
  }

  #apply(changes: readonly WireChange[], time: number): Committed | Refused {
    const found: (Found | undefined)[] = [];
    for (const [index, { key, expect }] of changes.entries()) {
      const current = this.#current(key);
      const actual = current === undefined ? 0 : revisionOf(current.id);
      if (expect !== -1 && expect !== actual) return { type: "refused", change: index, actual };
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
      const id = idOf(revision, place);
      this.#append.run(id, key, current?.id ?? 0, time, value ?? null);
      if (current !== undefined) this.#replace.run(id, key, current.id);
      if (value !== undefined) this.#insert.run(key, id, current?.created ?? revision, expires ?? null);
      this.#unmoved += bytesPerChange + (value?.length ?? 0);
      changed = true;
    }
    if (changed) this.#revision = revision;
    return { type: "committed", revision: this.#revision, replaced, created };
  }

  #current(key: string): Found | undefined {
    const row = this.#find.get(key) as { id: number; created: number; until: number } | undefined;
    return row?.until === live ? row : undefined;
  }

  #transaction<Result>(body: () => Result): Result {
    const revision = this.#revision;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = body();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#revision = revision;
      // Some errors, a full disk among them, have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #mark(name: string): number {
    return Number(this.#database.prepare("SELECT id FROM marks WHERE name = ?").get(name)?.["id"]);
  }

  #raise(name: string, id: number): void {
    this.#database.prepare("UPDATE marks SET id = ? WHERE name = ? AND id < ?").run(id, name, id);
  }
}

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const code = resultCodeOf(error);
  if (code === resultCode.full) return { reason: "full", message };
  if (code === resultCode.corrupt || code === resultCode.notADatabase) return { reason: "damaged", message };
  return { reason: "failed", message };
}
