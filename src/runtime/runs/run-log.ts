import type { Run } from "./run.js";

export interface RunLogOptions {
  /** How many runs are kept of one object. Default 20. */
  readonly perObject?: number | undefined;
  /** How many runs are kept of all objects together. Default 1000. */
  readonly total?: number | undefined;
}

/** The last runs of every object, bounded: what `fettle why` answers from. */
export class RunLog {
  readonly #perObject: number;
  readonly #total: number;
  /** By group and kind, and then by key, the runs of each object, oldest first. Every one of them is in `#order` too. */
  readonly #runs = new Map<string, Map<string, Run[]>>();
  /** All runs, oldest first; those that `#runs` has let go already are skipped when their turn comes. */
  readonly #order = new Set<Run>();
  /** Gives the oldest run. What it has given is dropped at once; an iterator of its own need not look for the beginning. */
  readonly #oldest = this.#order.values();
  readonly #listeners = new Set<(run: Run) => void>();

  constructor({ perObject = 20, total = 1000 }: RunLogOptions = {}) {
    this.#perObject = perObject;
    this.#total = total;
  }

  add(run: Run): void {
    const name = qualified(run);
    let kind = this.#runs.get(name);
    if (kind === undefined) this.#runs.set(name, (kind = new Map()));
    const runs = kind.get(run.key) ?? [];
    runs.push(run);
    if (runs.length === 1) kind.set(run.key, runs);
    this.#order.add(run);
    if (runs.length > this.#perObject) this.#drop(runs[0]);
    if (this.#order.size > this.#total) this.#drop(this.#oldest.next().value);
    for (const listener of this.#listeners) listener(run);
  }

  /**
   * The runs of an object, oldest first. A kind is told by its name alone where no other group has one of that name; else
   * the objects of all of them are meant.
   */
  of(kind: string | { readonly apiVersion: string; readonly kind: string }, key: string): readonly Run[] {
    if (typeof kind !== "string") return [...(this.#runs.get(qualified(kind))?.get(key) ?? [])];
    const found: Run[][] = [];
    for (const [name, objects] of this.#runs) {
      const runs = name.startsWith(`${kind}.`) ? objects.get(key) : undefined;
      if (runs !== undefined) found.push(runs);
    }
    const all = found.flat();
    return found.length < 2 ? all : all.sort((one, other) => endOf(one) - endOf(other));
  }

  /** All runs, oldest first. */
  all(): Iterable<Run> {
    return this.#order.values();
  }

  get size(): number {
    return this.#order.size;
  }

  /** Calls back with each run as it ends; what is returned ends that. */
  follow(listener: (run: Run) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #drop(run: Run | undefined): void {
    if (run === undefined) return;
    this.#order.delete(run);
    const kind = this.#runs.get(qualified(run));
    const runs = kind?.get(run.key);
    // Of one object those that go are the oldest.
    if (runs?.shift() !== undefined && runs.length === 0) kind?.delete(run.key);
  }
}

/** `Site.demo.dev`: the same kind in all its versions. */
function qualified({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const slash = apiVersion.indexOf("/");
  return `${kind}.${slash < 0 ? "" : apiVersion.slice(0, slash)}`;
}

function endOf({ startedAt, duration }: Run): number {
  return startedAt + duration;
}
