import type { KubeObject } from "../../model/core.js";
import type { IndexFunction } from "./source.js";

/**
 * Index of objects by the values of a function. Most values of most indexes have one object (a name, an owner with one
 * child), so a single object is stored without a set.
 */
export class ObjectIndex<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #found = new Map<string, T | Set<T>>();

  /** An object for which the function throws is not indexed; the error is reported each time. */
  constructor(index: IndexFunction<T>, report: (error: unknown, object: T) => void) {
    this.#valuesOf = (object) => {
      try {
        return index(object);
      } catch (error) {
        report(error, object);
        return [];
      }
    };
  }

  add(object: T): void {
    for (const value of this.#valuesOf(object)) {
      const found = this.#found.get(value);
      if (found === undefined || found === object) this.#found.set(value, object);
      else if (found instanceof Set) found.add(object);
      else this.#found.set(value, new Set([found, object]));
    }
  }

  remove(object: T): void {
    for (const value of this.#valuesOf(object)) {
      const found = this.#found.get(value);
      if (found === object) this.#found.delete(value);
      else if (found instanceof Set && found.delete(object) && found.size === 1) {
        for (const last of found) this.#found.set(value, last);
      }
    }
  }

  get(value: string): readonly T[] {
    const found = this.#found.get(value);
    if (found === undefined) return [];
    return found instanceof Set ? [...found] : [found];
  }
}
