import type { KubeObject } from "../../model/core.js";
import { SourceCache } from "../source/source-cache.js";
import { classify, sameObject } from "../source/classify.js";
import type { ObjectChange, IndexFunction, Subscription } from "../source/source.js";
import { noChanges, type ChangeCounts, type Counting } from "./stats.js";

export interface PollerViewOptions<T extends KubeObject> {
  /** Returns true for versions that count as equal. */
  readonly equal?: ((old: T, now: T) => boolean) | undefined;
  /** Called for errors of listeners and index functions. */
  readonly report: (error: unknown) => void;
  /** Calls of listeners by type. */
  readonly published: Counting;
}

/** Cache and listeners of a poller. */
export class PollerView<T extends KubeObject> {
  readonly #cache: SourceCache<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #listeners = new Set<(change: ObjectChange<T>) => void>();
  readonly #options: PollerViewOptions<T>;

  constructor(options: PollerViewOptions<T>) {
    this.#options = options;
    this.#cache = new SourceCache((error) => options.report(error));
  }

  get size(): number {
    return this.#cache.size;
  }

  get(key: string): T | undefined {
    return this.#cache.get(key);
  }

  list(namespace?: string): Iterable<T> {
    return this.#cache.list(namespace);
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing !== undefined && existing !== index) {
      throw new TypeError(`another index is named ${JSON.stringify(name)}: choose another name`);
    }
    this.#indexes.set(name, index);
    this.#cache.addIndex(index);
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      throw new TypeError(`no index is named ${JSON.stringify(name)}: add it with addIndex() first`);
    }
    return this.#cache.byIndex(index, value);
  }

  /** Calls the listener for all present objects, then for every change until it is released. */
  subscribe(listener: (change: ObjectChange<T>) => void): Subscription {
    // A new function, so that a listener that subscribes twice is called twice.
    const own = (change: ObjectChange<T>): void => listener(change);
    let released = false;
    const release = (): void => {
      released = true;
      this.#listeners.delete(own);
    };
    for (const object of Array.from(this.#cache.list())) {
      if (released) break;
      this.#hand(own, { type: "CREATED", object, initial: true });
    }
    if (!released) this.#listeners.add(own);
    return { release, [Symbol.dispose]: release };
  }

  /**
   * Replaces the objects. The cache changes together with each reported change, so that a listener that reads or subscribes
   * meanwhile sees exactly the changes reported so far.
   */
  update(
    now: ReadonlyMap<string, T>,
    initial: boolean,
  ): { readonly unchanged: number; readonly changes: ChangeCounts } {
    const changes = noChanges();
    let unchanged = 0;
    const notify = (change: ObjectChange<T>): void => {
      changes[change.type]++;
      for (const listener of Array.from(this.#listeners)) {
        // An earlier listener may have released this one.
        if (this.#listeners.has(listener)) this.#hand(listener, change);
      }
    };
    const gone = (key: string, old: T): void => {
      this.#cache.delete(key);
      notify({ type: "DELETED", object: old, old, initial: false });
    };

    // Deletions first, so that a replacement finds the key free.
    for (const [key, old] of Array.from(this.#cache.entries())) {
      const object = now.get(key);
      if (object === undefined || !sameObject(old, object)) gone(key, old);
    }
    for (const [key, object] of now) {
      const old = this.#cache.get(key);
      if (old === undefined) {
        this.#cache.set(key, object);
        notify({ type: "CREATED", object, initial });
        continue;
      }
      const type = this.#options.equal?.(old, object) === true ? undefined : classify(old, object);
      if (type === undefined) {
        unchanged++;
        // Only the version differs; writers need it.
        if (old.metadata.resourceVersion !== object.metadata.resourceVersion) this.#cache.set(key, object);
        continue;
      }
      this.#cache.set(key, object);
      notify({ type, object, old, initial: false });
    }
    return { unchanged, changes };
  }

  #hand(listener: (change: ObjectChange<T>) => void, change: ObjectChange<T>): void {
    this.#options.published[change.type]++;
    try {
      listener(change);
    } catch (error) {
      this.#options.report(error);
    }
  }
}
