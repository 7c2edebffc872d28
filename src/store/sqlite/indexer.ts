import { transaction, type Database, type Statement } from "./engine.js";
import { live, raiseMark } from "./schema.js";
import { keyAfter, type TailRange, type Tail, type TailMutation } from "./tail.js";

/** Minimum number of mutations per step: a millisecond or two of work, to delay commits little. */
const smallestStep = 256;

/** Mutations to index for each one that is committed during a pass; more than one, so that the tail shrinks. */
const pace = 3;

/** Bytes of values at which a pass starts, because reading the tail at the next opening has to skip the values. */
const maxBytes = 64 * 2 ** 20;

/**
 * Indexes the tail of the log: inserts it into `versions`.
 *
 * With many objects nearly every mutation belongs on another page of that tree, and writing pages is what costs. So
 * mutations wait until there are many, and are then indexed in key order: several share a page.
 *
 * A **pass** goes through the tail once, from the first key to the last, in steps between commits. At its end `versions`
 * has everything that was in the log when it started, and the mark `indexed` is raised to that point. When a store is
 * opened, the log after that mark becomes the tail; indexing a mutation twice changes nothing.
 */
export class Indexer {
  readonly #database: Database;
  readonly #tail: Tail;
  readonly #limit: number;
  readonly #step: number;
  readonly #replace: Statement;
  readonly #insert: Statement;
  /** Current pass: the key at which it continues, and the newest id when it started. */
  #pass: { first: string; newest: number } | undefined;
  /** Mutations to index to keep the pace. */
  #owed = 0;
  #bytes = 0;

  /** A pass starts when the tail has `limit` mutations. */
  constructor(database: Database, tail: Tail, limit: number) {
    this.#database = database;
    this.#tail = tail;
    this.#limit = limit;
    this.#step = Math.min(smallestStep, limit);
    this.#replace = database.prepare("UPDATE versions SET until = ? WHERE key = ? AND id = ?");
    this.#insert = database.prepare("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?)");
  }

  /** True when steps have failed for so long that the tail must not grow further. */
  get overdue(): boolean {
    return this.#tail.size > 4 * this.#limit;
  }

  /** True when commits have made a step due. */
  get due(): boolean {
    return this.#owed >= this.#step;
  }

  /** Counts a mutation that was added to the tail. */
  logged(bytes: number): void {
    this.#bytes += bytes;
    if (this.#pass !== undefined || this.#tail.size >= this.#limit || this.#bytes >= maxBytes)
      this.#owed += pace;
  }

  /**
   * Takes the next step of the current pass, or the first of a new one; `newest` is the newest id in the log. Returns
   * the part of the tail that was indexed and dropped; undefined at the end of the pass.
   */
  step(newest: number, count = Math.max(this.#step, this.#owed)): TailRange | undefined {
    this.#pass ??= this.#begin(newest);
    const pass = this.#pass;
    const parts = this.#next(pass.first, count);
    const last = parts.at(-1);
    this.#withoutSync(() => {
      for (const part of parts) this.#index(part);
      if (last === undefined)
        raiseMark(this.#database, "indexed", this.#tail.size > 0 ? pass.newest : newest);
    });
    this.#owed = 0;
    if (last === undefined) {
      this.#pass = undefined;
      return undefined;
    }
    const done = { first: pass.first, last: last.key, id: last.mutations.at(-1)?.id ?? 0 };
    pass.first = last.until === live ? keyAfter(last.key) : last.key;
    this.#tail.forget(done);
    return done;
  }

  /** Indexes everything, in few transactions: none of them is synced. */
  finish(newest: number): void {
    while (this.step(newest, Infinity) !== undefined || this.#tail.size > 0);
  }

  #begin(newest: number): { first: string; newest: number } {
    this.#bytes = 0;
    return { first: "", newest };
  }

  /** Next `count` mutations in key order; those of the last key may be split. */
  #next(first: string, count: number): KeyPart[] {
    const parts: KeyPart[] = [];
    let left = count;
    for (const [key, all] of this.#tail.between(first)) {
      if (left <= 0) break;
      const mutations = all.slice(0, left);
      parts.push({ key, mutations, until: all[mutations.length]?.id ?? live });
      left -= mutations.length;
    }
    return parts;
  }

  #index({ key, mutations, until }: KeyPart): void {
    const [oldest] = mutations;
    if (oldest !== undefined && oldest.previous !== 0) this.#replace.run(oldest.id, key, oldest.previous);
    for (const [place, { id, created, expires, deleted }] of mutations.entries()) {
      if (deleted) continue;
      this.#insert.run(key, id, mutations[place + 1]?.id ?? until, created, expires ?? null);
    }
  }

  /** Runs a transaction that reaches the disk with the next commit; until then the log has its data anyway. */
  #withoutSync(body: () => void): void {
    this.#database.exec("PRAGMA synchronous = NORMAL");
    try {
      transaction(this.#database, body);
    } finally {
      this.#database.exec("PRAGMA synchronous = FULL");
    }
  }
}

/** Consecutive mutations of one key, and the id of the next one. */
interface KeyPart {
  readonly key: string;
  readonly mutations: readonly TailMutation[];
  readonly until: number;
}
