import { deepFreeze, type KubeObject } from "../../model/core.js";
import { cacheKey } from "../source/source-cache.js";

/** Conversion of rows to objects. */
export interface RowMapping<Row, T extends KubeObject> {
  readonly toObject: (row: Row) => T;
  readonly key?: ((row: Row) => string) | undefined;
  readonly version?: ((row: Row) => string | number | undefined) | undefined;
}

interface CachedRow<T> {
  readonly version: string | number | undefined;
  readonly object: T;
}

/**
 * Converts rows to objects and caches the object of each row version by key. A row of a cached version is not converted again.
 * A row that cannot be converted keeps its last object, since an unreadable row is not a deleted one; without keys, the whole
 * list fails.
 */
export class Rows<Row, T extends KubeObject> {
  readonly #mapping: RowMapping<Row, T>;
  readonly #report: (error: unknown) => void;
  #cached = new Map<string, CachedRow<T>>();

  constructor(mapping: RowMapping<Row, T>, report: (error: unknown) => void) {
    this.#mapping = mapping;
    this.#report = report;
  }

  /** Objects by key. If two rows have the same key, the last one wins. */
  objects(rows: Iterable<Row>): Map<string, T> {
    const { key, version } = this.#mapping;
    const cached = new Map<string, CachedRow<T>>();
    const objects = new Map<string, T>();
    for (const row of rows) {
      const name = key?.(row);
      const before = name === undefined ? undefined : this.#cached.get(name);
      const now = version?.(row);
      let next: CachedRow<T> | undefined;
      if (before !== undefined && now !== undefined && before.version === now) next = before;
      else if (name === undefined) next = { version: now, object: this.#convert(row) };
      else next = this.#tryToConvert(row, name, now) ?? before;
      if (next === undefined) continue;
      if (name !== undefined) cached.set(name, next);
      const { namespace, name: own = "" } = next.object.metadata;
      objects.set(cacheKey(namespace, own), next.object);
    }
    this.#cached = cached;
    return objects;
  }

  #tryToConvert(row: Row, name: string, version: string | number | undefined): CachedRow<T> | undefined {
    try {
      return { version, object: this.#convert(row) };
    } catch (error) {
      this.#report(new Error(`${JSON.stringify(name)} cannot be converted to an object`, { cause: error }));
      return undefined;
    }
  }

  #convert(row: Row): T {
    const object = this.#mapping.toObject(row);
    if (!object.metadata?.name) {
      throw new TypeError(
        `a ${object.kind || "row"} has no metadata.name: every object needs one, to be identified in the next list`,
      );
    }
    return deepFreeze(object);
  }
}
