import type { ResourceTypes } from "../../resources/resource-types.js";

/** Keys that wait until a kind is served. */
export class Parked {
  readonly #types: ResourceTypes;
  readonly #waiting = new Map<string, { readonly isServed: () => boolean; readonly keys: Set<string> }>();
  readonly stop: () => void;

  /** `resume` is called with a key as soon as its kind is served. */
  constructor(types: ResourceTypes, resume: (key: string) => void) {
    this.#types = types;
    this.stop = types.onChange(() => {
      for (const [what, { isServed, keys }] of this.#waiting) {
        if (!isServed()) continue;
        this.#waiting.delete(what);
        for (const key of keys) resume(key);
      }
    });
  }

  /** Parks a key of an unserved kind. */
  addUnserved(key: string): void {
    const kind = key.slice(0, key.indexOf("/", key.indexOf("/", 1) + 1));
    this.#add(kind, key, () => this.#types.ofKey(key) !== undefined);
  }

  /** Parks a key that has an owner of an unserved kind. */
  addOwnerUnserved(key: string, apiVersion: string, kind: string): void {
    this.#add(`${apiVersion} ${kind}`, key, () => this.#types.ofKind(apiVersion, kind) !== undefined);
  }

  delete(key: string): void {
    for (const [what, { keys }] of this.#waiting)
      if (keys.delete(key) && keys.size === 0) this.#waiting.delete(what);
  }

  #add(what: string, key: string, isServed: () => boolean): void {
    const waiting = this.#waiting.get(what);
    if (waiting === undefined) this.#waiting.set(what, { isServed, keys: new Set([key]) });
    else waiting.keys.add(key);
  }
}
