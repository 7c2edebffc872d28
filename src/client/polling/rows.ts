import { deepFreeze, type KubeObject } from "../../model/core.js";
import { keyOf } from "../source/object-cache.js";

/** How rows of anything become objects. */
export interface RowMapping<Row, T extends KubeObject> {
  readonly toObject: (row: Row) => T;
  readonly key?: ((row: Row) => string) | undefined;
  readonly version?: ((row: Row) => string | number | undefined) | undefined;
}

interface Known<T> {
  readonly version: string | number | undefined;
  readonly object: T;
}

/**
 * Makes objects of rows, and remembers by key which version of a row became which object. A row of a known version is not
 * made anew; one that cannot be made into an object stays what it was, since a row that cannot be read is not a row that
 * is gone. Without keys nobody can tell which row that is, and the list as a whole fails.
 */
export class Rows<Row, T extends KubeObject> {
  readonly #mapping: RowMapping<Row, T>;
  readonly #report: (error: unknown) => void;
  #known = new Map<string, Known<T>>();

  constructor(mapping: RowMapping<Row, T>, report: (error: unknown) => void) {
    this.#mapping = mapping;
    this.#report = report;
  }

  /** All objects by their key. When two rows have the same, the last counts. */
  objects(rows: Iterable<Row>): Map<string, T> {
    const { key, version } = this.#mapping;
    const known = new Map<string, Known<T>>();
    const objects = new Map<string, T>();
    for (const row of rows) {
      const name = key?.(row);
      const before = name === undefined ? undefined : this.#known.get(name);
      const now = version?.(row);
      let next: Known<T> | undefined;
      if (before !== undefined && now !== undefined && before.version === now) next = before;
      else if (name === undefined) next = { version: now, object: this.#make(row) };
      else next = this.#tryToMake(row, name, now) ?? before;
      if (next === undefined) continue;
      if (name !== undefined) known.set(name, next);
      const { namespace, name: own = "" } = next.object.metadata;
      objects.set(keyOf(namespace, own), next.object);
    }
    this.#known = known;
    return objects;
  }

  #tryToMake(row: Row, name: string, version: string | number | undefined): Known<T> | undefined {
    try {
      return { version, object: this.#make(row) };
    } catch (error) {
      this.#report(new Error(`${JSON.stringify(name)} cannot be made into an object`, { cause: error }));
      return undefined;
    }
  }

  #make(row: Row): T {
    const object = this.#mapping.toObject(row);
    if (!object.metadata?.name) {
      throw new TypeError(
        `a ${object.kind || "row"} has no metadata.name: every object needs one, so that it is known again next time`,
      );
    }
    return deepFreeze(object);
  }
}
