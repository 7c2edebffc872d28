import { callListener } from "../../client/async/call-listener.js";
import type { Run } from "./run.js";
import { defaultRunLimit, groupOf, matchesRun, type RunQuery, type RunStore } from "./run-store.js";

export interface MemoryRunStoreOptions {
  /** Maximum number of runs per object. Default: 20. */
  readonly perObject?: number | undefined;
  /** Maximum number of runs in total. Default: 1000. */
  readonly total?: number | undefined;
}

/** Keeps the newest runs in memory, bounded per object and in total. */
export class MemoryRunStore implements RunStore {
  readonly #perObject: number;
  readonly #total: number;
  /** Runs by object, oldest first. Invariant: `#order` has the same runs. */
  readonly #byObject = new Map<string, Run[]>();
  /** All runs, oldest first. */
  readonly #order = new Set<Run>();
  /** Returns the oldest run. A new iterator would step over all deleted entries of the set before it finds the first. */
  readonly #oldest = this.#order.values();
  readonly #listeners = new Set<(run: Run) => void>();

  constructor({ perObject = 20, total = 1000 }: MemoryRunStoreOptions = {}) {
    this.#perObject = perObject;
    this.#total = total;
  }

  add(run: Run): void {
    const object = objectOf(run);
    const runs = this.#byObject.get(object) ?? [];
    runs.push(run);
    if (runs.length === 1) this.#byObject.set(object, runs);
    this.#order.add(run);
    if (runs.length > this.#perObject) this.#drop(runs[0]);
    if (this.#order.size > this.#total) this.#drop(this.#oldest.next().value);
    for (const listener of this.#listeners) callListener("a listener of runs", () => listener(run));
  }

  async find(query: RunQuery = {}): Promise<readonly Run[]> {
    const { after, limit = defaultRunLimit } = query;
    const matching = [...this.#order].filter((run) => matchesRun(run, query));
    const newer = matching.slice(matching.findIndex(({ id }) => id === after) + 1);
    return newer.slice(Math.max(0, newer.length - limit));
  }

  follow(listener: (run: Run) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #drop(run: Run | undefined): void {
    if (run === undefined) return;
    this.#order.delete(run);
    const object = objectOf(run);
    const runs = this.#byObject.get(object);
    // The oldest run of all is also the oldest run of its object.
    runs?.shift();
    if (runs?.length === 0) this.#byObject.delete(object);
  }
}

/** Identifies an object over all versions of its kind. */
function objectOf({ apiVersion, kind, key }: Run): string {
  return `${kind}.${groupOf(apiVersion)} ${key}`;
}
