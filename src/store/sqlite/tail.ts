import sortedBTree from "sorted-btree";
import { compareKeys, needsCodePointOrder } from "../keys.js";
import type { Database } from "./engine.js";
import { query } from "./query.js";

// The package is CommonJS: Node exposes its default export as a property.
const BTree = sortedBTree.default;

/** Logged mutation without its value. */
export interface TailMutation {
  readonly id: number;
  /** Id of the version it replaced; 0: none. */
  readonly previous: number;
  /** Revision at which its key was created. */
  readonly created: number;
  readonly expires: number | undefined;
  readonly deleted: boolean;
}

type Row = [
  id: number,
  key: string,
  previous: number,
  created: number,
  expires: number | null,
  deleted: 0 | 1,
];

/**
 * Newest mutations by key: the end of the log, which may not be indexed in `versions` yet.
 *
 * Both threads have one. The writer's holds what is still to be indexed; the reader's is merged with what it reads from
 * `versions`. Invariant: for every key, the tail is right about the mutations it has, and `versions` about all older
 * ones. This holds before and after they are indexed, so the reader may drop them later than the writer.
 */
export class Tail {
  /** Never empty, oldest first. */
  readonly #mutations = new Map<string, TailMutation[]>();
  /** The same keys in order. Built on first use, to keep it out of the time to open a store. */
  #order: InstanceType<typeof BTree<string, undefined>> | undefined;
  #size = 0;
  /** True once a key needed code point order. The order of the other keys is the same either way. */
  #codePointOrder = false;
  readonly #compare = (a: string, b: string): number => {
    if (this.#codePointOrder) return compareKeys(a, b);
    if (a === b) return 0;
    return a < b ? -1 : 1;
  };

  /** Number of mutations. */
  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#mutations.has(key);
  }

  newest(key: string): TailMutation | undefined {
    return this.#mutations.get(key)?.at(-1);
  }

  /** Newest mutation of a key with an id below `bound`. */
  at(key: string, bound: number): TailMutation | undefined {
    const mutations = this.#mutations.get(key);
    return mutations && newestBelow(mutations, bound);
  }

  /** Keys with their mutations, unordered. */
  all(): IterableIterator<[string, readonly TailMutation[]]> {
    return this.#mutations.entries();
  }

  /** Keys from `first` (inclusive) to `end` (exclusive) with their mutations, in key order. */
  *between(first: string, end?: string): Generator<[string, readonly TailMutation[]], void> {
    this.#order ??= new BTree(
      Array.from(this.#mutations.keys(), (key) => [key, undefined]),
      this.#compare,
    );
    for (const key of this.#order.keys(first)) {
      if (end !== undefined && this.#compare(key, end) >= 0) return;
      yield [key, this.#mutations.get(key) ?? []];
    }
  }

  add(key: string, mutation: TailMutation): void {
    this.#size++;
    const mutations = this.#mutations.get(key);
    if (mutations !== undefined) mutations.push(mutation);
    else {
      this.#codePointOrder ||= needsCodePointOrder(key);
      this.#mutations.set(key, [mutation]);
      this.#order?.set(key, undefined);
    }
  }

  removeNewest(key: string): void {
    const mutations = this.#mutations.get(key);
    if (mutations?.pop() === undefined) return;
    this.#size--;
    if (mutations.length > 0) return;
    this.#mutations.delete(key);
    this.#order?.delete(key);
  }

  /** Drops mutations that have been indexed. */
  forget({ first, last, id }: TailRange): void {
    let kept: TailMutation[] = [];
    for (const [key, mutations] of this.between(first, keyAfter(last))) {
      if (key === last) kept = mutations.filter((mutation) => mutation.id > id);
      this.#size -= mutations.length;
      this.#mutations.delete(key);
    }
    this.#order?.deleteRange(first, last, true);
    for (const mutation of kept) this.add(last, mutation);
  }
}

/** Lower bound of the keys after a key; no key contains NUL. */
export function keyAfter(key: string): string {
  return `${key}\u0001`;
}

/** Part of the tail: the mutations of the keys from `first` to `last`, of the key `last` only those up to `id`. */
export interface TailRange {
  readonly first: string;
  readonly last: string;
  readonly id: number;
}

export function newestBelow(mutations: readonly TailMutation[], bound: number): TailMutation | undefined {
  return mutations.findLast(({ id }) => id < bound);
}

/** Reads the tail from the log, as one JSON value: each value that crosses from SQLite to JavaScript has a cost. */
export function readTail(database: Database): Tail {
  const tail = new Tail();
  const [rows] =
    query<[string]>(
      database,
      `SELECT json_group_array(json_array(id, key, previous, created, expires, value IS NULL)) FROM log
       WHERE id > (SELECT id FROM marks WHERE name = 'indexed')`,
    ).get() ?? [];
  for (const [id, key, previous, created, expires, deleted] of JSON.parse(rows ?? "[]") as Row[]) {
    tail.add(key, { id, previous, created, expires: expires ?? undefined, deleted: deleted === 1 });
  }
  return tail;
}
