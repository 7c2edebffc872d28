import type { KubeObject } from "../../model/core.js";
import type { IndexFunction } from "./source.js";
import { ObjectIndex } from "./object-index.js";

/** Cache key: `namespace/name`, or the name alone for cluster-scoped objects. */
export function cacheKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Objects by namespace and name, and by indexes. A map per namespace is keyed by the name string of the object itself: no key
 * is allocated per object, and the objects of one namespace are listed without a scan.
 *
 * Invariants: no map is empty; every index has exactly the objects that the maps have.
 */
export class SourceCache<T extends KubeObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<IndexFunction<T>, ObjectIndex<T>>();
  readonly #report: (error: unknown, object: T) => void;
  #size = 0;

  /** `report` is called for errors of index functions. */
  constructor(report: (error: unknown, object: T) => void) {
    this.#report = report;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    const [namespace, name] = splitKey(key);
    return this.#namespaces.get(namespace)?.get(name);
  }

  set(key: string, object: T): void {
    const [namespace, name] = splitKey(key);
    let names = this.#namespaces.get(namespace);
    if (names === undefined) this.#namespaces.set(namespace, (names = new Map<string, T>()));
    const old = names.get(name);
    if (old === object) return;
    if (old === undefined) this.#size++;
    // The name string of the object: a slice of the key would keep the key alive.
    names.set(old === undefined ? (object.metadata.name ?? name) : name, object);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.remove(old);
      index.add(object);
    }
  }

  delete(key: string): void {
    const [namespace, name] = splitKey(key);
    const names = this.#namespaces.get(namespace);
    const old = names?.get(name);
    if (names === undefined || old === undefined) return;
    names.delete(name);
    if (names.size === 0) this.#namespaces.delete(namespace);
    this.#size--;
    for (const index of this.#indexes.values()) index.remove(old);
  }

  /** Iterable more than once, each time over the current objects. */
  list(namespace?: string): Iterable<T> {
    return {
      [Symbol.iterator]: () =>
        namespace === undefined ? this.#everything() : (this.#namespaces.get(namespace)?.values() ?? none()),
    };
  }

  *entries(): Generator<readonly [string, T]> {
    for (const [namespace, names] of this.#namespaces) {
      for (const [name, object] of names) yield [cacheKey(namespace, name), object];
    }
  }

  addIndex(index: IndexFunction<T>): void {
    if (this.#indexes.has(index)) return;
    const made = new ObjectIndex(index, this.#report);
    for (const object of this.list()) made.add(object);
    this.#indexes.set(index, made);
  }

  removeIndex(index: IndexFunction<T>): void {
    this.#indexes.delete(index);
  }

  byIndex(index: IndexFunction<T>, value: string): readonly T[] {
    return this.#indexes.get(index)?.get(value) ?? [];
  }

  *#everything(): Generator<T> {
    for (const names of this.#namespaces.values()) yield* names.values();
  }
}

function* none(): Generator<never> {}

type Parts = readonly [namespace: string, name: string];

/** Parts of the last key: an object is usually looked up several times in a row. */
let last: { readonly key: string; readonly parts: Parts } = { key: "", parts: ["", ""] };

function splitKey(key: string): Parts {
  if (key === last.key) return last.parts;
  const slash = key.indexOf("/");
  const parts: Parts = slash < 0 ? ["", key] : [key.slice(0, slash), key.slice(slash + 1)];
  last = { key, parts };
  return parts;
}
