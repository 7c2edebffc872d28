import type { KubeObject } from "../../model/core.js";
import { ObjectCache } from "../source/object-cache.js";
import { classify, sameObject } from "../source/classify.js";
import type { ObjectChange, IndexFunction, Subscription } from "../source/source.js";
import { noChanges, type ChangeCounts, type Counting } from "./stats.js";

export interface ViewOptions<T extends KubeObject> {
  /** Whether two versions of an object are the same for the user. */
  readonly equal?: ((old: T, now: T) => boolean) | undefined;
  /** Told what listeners and index functions throw. */
  readonly report: (error: unknown) => void;
  /** Counts what listeners are handed. */
  readonly published: Counting;
}

/** What was seen last, and those who want to know what changes. */
export class View<T extends KubeObject> {
  readonly #cache: ObjectCache<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #listeners = new Set<(change: ObjectChange<T>) => void>();
  readonly #options: ViewOptions<T>;

  constructor(options: ViewOptions<T>) {
    this.#options = options;
    this.#cache = new ObjectCache((error) => options.report(error));
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
    const known = this.#indexes.get(name);
    if (known !== undefined && known !== index) {
      throw new TypeError(`there is another index called ${JSON.stringify(name)}: choose another name`);
    }
    this.#indexes.set(name, index);
    this.#cache.addIndex(index);
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      throw new TypeError(`there is no index called ${JSON.stringify(name)}: add it with addIndex() first`);
    }
    return this.#cache.byIndex(index, value);
  }

  /** Tells the listener of all that is there, then of every change until it is released. */
  subscribe(listener: (change: ObjectChange<T>) => void): Subscription {
    // A function of its own, so that who subscribes twice is told twice.
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
   * Takes over what is there now. The cache changes with each change that is told, so that a listener who looks, or
   * subscribes, on the way finds exactly what has been told so far.
   */
  update(
    now: ReadonlyMap<string, T>,
    initial: boolean,
  ): { readonly unchanged: number; readonly changes: ChangeCounts } {
    const changes = noChanges();
    let unchanged = 0;
    const tell = (change: ObjectChange<T>): void => {
      changes[change.type]++;
      for (const listener of Array.from(this.#listeners)) {
        // Somebody may have been released by the one before.
        if (this.#listeners.has(listener)) this.#hand(listener, change);
      }
    };
    const gone = (key: string, old: T): void => {
      this.#cache.delete(key);
      tell({ type: "DELETED", object: old, old, initial: false });
    };

    // Deletions first: what takes the place of something finds the place free.
    for (const [key, old] of Array.from(this.#cache.entries())) {
      const object = now.get(key);
      if (object === undefined || !sameObject(old, object)) gone(key, old);
    }
    for (const [key, object] of now) {
      const old = this.#cache.get(key);
      if (old === undefined) {
        this.#cache.set(key, object);
        tell({ type: "CREATED", object, initial });
        continue;
      }
      const type = this.#options.equal?.(old, object) === true ? undefined : classify(old, object);
      if (type === undefined) {
        unchanged++;
        // A new version that differs in nothing but its number: whoever writes needs that number.
        if (old.metadata.resourceVersion !== object.metadata.resourceVersion) this.#cache.set(key, object);
        continue;
      }
      this.#cache.set(key, object);
      tell({ type, object, old, initial: false });
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
