import sortedBTree from "sorted-btree";
import { compareKeys, reachesBeyond } from "../keys.js";
import type { Database } from "./engine.js";
import { query } from "./query.js";

// The package is CommonJS: its default export is a property of what Node hands us.
const BTree = sortedBTree.default;

/** A change as the log has it, without its value. */
export interface TailMutation {
  readonly id: number;
  /** The id of the version it replaced, 0 for none. */
  readonly previous: number;
  /** The revision at which its key came into being. */
  readonly created: number;
  readonly expires: number | undefined;
  /** Whether it deleted the key. */
  readonly gone: boolean;
}

type Row = [id: number, key: string, previous: number, created: number, expires: number | null, gone: 0 | 1];

/**
 * The newest changes, by key: those at the end of the log that `versions` may not have yet.
 *
 * Both threads keep one. The writer's says what it has to bring into `versions`; the reader's lies over what `versions`
 * shows. For every key one rule holds, before its changes are brought in and after: what the tail has of it counts,
 * and `versions` counts for what is older than that. So it does no harm when the reader forgets later than the writer.
 */
export class Tail {
  /** For each key oldest first, never none. */
  readonly #changes = new Map<string, TailMutation[]>();
  /** The same keys in order, from the first time that somebody asks for that: opening a store does not. */
  #order: InstanceType<typeof BTree<string, undefined>> | undefined;
  #size = 0;
  /** Whether any key here was beyond what can be compared quickly. Those that can be stay in their order when one comes. */
  #beyond = false;
  readonly #compare = (a: string, b: string): number => {
    if (this.#beyond) return compareKeys(a, b);
    if (a === b) return 0;
    return a < b ? -1 : 1;
  };

  /** How many changes there are. */
  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#changes.has(key);
  }

  newest(key: string): TailMutation | undefined {
    return this.#changes.get(key)?.at(-1);
  }

  /** The newest change of a key with an id below `bound`. */
  at(key: string, bound: number): TailMutation | undefined {
    const changes = this.#changes.get(key);
    return changes && newestBelow(changes, bound);
  }

  /** Keys with their changes, in no order. */
  all(): IterableIterator<[string, readonly TailMutation[]]> {
    return this.#changes.entries();
  }

  /** Keys with their changes, in order of key, from `first` on and before `end`. */
  *between(first: string, end?: string): Generator<[string, readonly TailMutation[]], void> {
    this.#order ??= new BTree(
      Array.from(this.#changes.keys(), (key) => [key, undefined]),
      this.#compare,
    );
    for (const key of this.#order.keys(first)) {
      if (end !== undefined && this.#compare(key, end) >= 0) return;
      yield [key, this.#changes.get(key) ?? []];
    }
  }

  add(key: string, change: TailMutation): void {
    this.#size++;
    const changes = this.#changes.get(key);
    if (changes !== undefined) changes.push(change);
    else {
      this.#beyond ||= reachesBeyond(key);
      this.#changes.set(key, [change]);
      this.#order?.set(key, undefined);
    }
  }

  /** Takes the newest change of a key back. */
  takeBack(key: string): void {
    const changes = this.#changes.get(key);
    if (changes?.pop() === undefined) return;
    this.#size--;
    if (changes.length > 0) return;
    this.#changes.delete(key);
    this.#order?.delete(key);
  }

  /** Forgets what was brought into `versions`. */
  forget({ first, last, id }: Stretch): void {
    let kept: TailMutation[] = [];
    for (const [key, changes] of this.between(first, keyBehind(last))) {
      if (key === last) kept = changes.filter((change) => change.id > id);
      this.#size -= changes.length;
      this.#changes.delete(key);
    }
    this.#order?.deleteRange(first, last, true);
    for (const change of kept) this.add(last, change);
  }
}

/** The least key behind a key: no key contains NUL. */
export function keyBehind(key: string): string {
  return `${key}\u0001`;
}

/** A part of the tail: all changes of the keys from `first` on, and of the key `last` those up to `id`. */
export interface Stretch {
  readonly first: string;
  readonly last: string;
  readonly id: number;
}

/** The newest of a key's changes with an id below `bound`. */
export function newestBelow(changes: readonly TailMutation[], bound: number): TailMutation | undefined {
  return changes.findLast(({ id }) => id < bound);
}

/** The tail as the file has it. In one piece of JSON, since each value that crosses from SQLite by itself costs more. */
export function readTail(database: Database): Tail {
  const tail = new Tail();
  const [rows] =
    query<[string]>(
      database,
      `SELECT json_group_array(json_array(id, key, previous, created, expires, value IS NULL)) FROM log
       WHERE id > (SELECT id FROM marks WHERE name = 'indexed')`,
    ).get() ?? [];
  for (const [id, key, previous, created, expires, gone] of JSON.parse(rows ?? "[]") as Row[]) {
    tail.add(key, { id, previous, created, expires: expires ?? undefined, gone: gone === 1 });
  }
  return tail;
}
