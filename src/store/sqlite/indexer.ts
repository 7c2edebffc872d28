import { transaction, type Database, type Statement } from "./engine.js";
import { raiseMark } from "./marks.js";
import { live } from "./schema.js";
import { keyBehind, type Stretch, type Tail, type TailMutation } from "./tail.js";

/** How many changes a step brings in at the least: a millisecond or two, so that commits in between hardly notice. */
const smallestStep = 256;

/** How many changes are brought in for each that is committed meanwhile: the tail shrinks while it is written to. */
const pace = 3;

/** A pass begins after so many bytes of values at the latest: to read the tail anew is to read past its values. */
const maxBytes = 64 * 2 ** 20;

/**
 * Brings the tail of the log into `versions`.
 *
 * With many objects nearly every change belongs on another page of that tree, and to write a page is what costs. So
 * changes wait until there are many of them, and are then brought in in the order of their keys: several share a page.
 *
 * A **pass** goes through the tail once, from the first key to the last, in steps between commits. At its end
 * `versions` has everything that was in the log at its beginning, and the mark `indexed` says so. Who opens the store
 * takes what lies behind that mark for the tail; a change that is brought in a second time changes nothing.
 */
export class Indexer {
  readonly #database: Database;
  readonly #tail: Tail;
  readonly #limit: number;
  readonly #step: number;
  readonly #replace: Statement;
  readonly #insert: Statement;
  /** The pass under way: where it goes on, and the newest change that was there when it began. */
  #pass: { first: string; newest: number } | undefined;
  /** How many changes the pass is behind its pace. */
  #owed = 0;
  #bytes = 0;

  /** A pass begins when there are `limit` changes in the tail. */
  constructor(database: Database, tail: Tail, limit: number) {
    this.#database = database;
    this.#tail = tail;
    this.#limit = limit;
    this.#step = Math.min(smallestStep, limit);
    this.#replace = database.prepare("UPDATE versions SET until = ? WHERE key = ? AND id = ?");
    this.#insert = database.prepare("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)");
  }

  /** Whether steps have failed for so long that the tail must not grow any more. */
  get overdue(): boolean {
    return this.#tail.size > 4 * this.#limit;
  }

  /** Whether commits have made a step due. */
  get due(): boolean {
    return this.#owed >= this.#step;
  }

  /** To be told of every change that joins the tail. */
  logged(bytes: number): void {
    this.#bytes += bytes;
    if (this.#pass !== undefined || this.#tail.size >= this.#limit || this.#bytes >= maxBytes)
      this.#owed += pace;
  }

  /**
   * One step of the pass under way, or the first one of a new pass; `newest` is the id of the newest change. Returns
   * what was brought in and is no longer in the tail, or undefined when that ended the pass.
   */
  step(newest: number): Stretch | undefined {
    this.#pass ??= this.#begin(newest);
    const pass = this.#pass;
    const parts = this.#next(pass.first, Math.max(this.#step, this.#owed));
    const last = parts.at(-1);
    this.#lazily(() => {
      for (const part of parts) this.#bringIn(part);
      if (last === undefined)
        raiseMark(this.#database, "indexed", this.#tail.size > 0 ? pass.newest : newest);
    });
    this.#owed = 0;
    if (last === undefined) {
      this.#pass = undefined;
      return undefined;
    }
    const done = { first: pass.first, last: last.key, id: last.changes.at(-1)?.id ?? 0 };
    pass.first = last.until === live ? keyBehind(last.key) : last.key;
    this.#tail.forget(done);
    return done;
  }

  /** Brings everything in. */
  finish(newest: number): void {
    while (this.step(newest) !== undefined || this.#tail.size > 0);
  }

  #begin(newest: number): { first: string; newest: number } {
    this.#bytes = 0;
    return { first: "", newest };
  }

  /** The next changes in order of key, about so many: a key with very many may be split. */
  #next(first: string, count: number): Part[] {
    const parts: Part[] = [];
    let left = count;
    for (const [key, all] of this.#tail.between(first)) {
      if (left <= 0) break;
      const changes = all.slice(0, left);
      parts.push({ key, changes, until: all[changes.length]?.id ?? live });
      left -= changes.length;
    }
    return parts;
  }

  #bringIn({ key, changes, until }: Part): void {
    const [oldest] = changes;
    if (oldest !== undefined && oldest.previous !== 0) this.#replace.run(oldest.id, key, oldest.previous);
    for (const [place, { id, created, expires, gone }] of changes.entries()) {
      if (gone) continue;
      this.#insert.run(key, id, changes[place + 1]?.id ?? until, created, expires ?? null);
    }
  }

  /** In a transaction that gets to the disk with the next commit: until then the log has it all anyway. */
  #lazily(body: () => void): void {
    this.#database.exec("PRAGMA synchronous = NORMAL");
    try {
      transaction(this.#database, body);
    } finally {
      this.#database.exec("PRAGMA synchronous = FULL");
    }
  }
}

/** Some changes of one key, and the id of the one that follows them. */
interface Part {
  readonly key: string;
  readonly changes: readonly TailMutation[];
  readonly until: number;
}
