import type { KubeObject, OwnerReference } from "../../../model/core.js";

/** References may name kinds that do not exist, so the number of texts needs a bound of its own. */
const mostTexts = 1000;

/** Owner reference of a dependent. */
type Owner = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid"> & {
  /** A foreground deletion of the owner waits for this dependent. */
  readonly blocked: boolean;
};

/** The parts of an object with owners that garbage collection needs. */
export interface Dependent {
  readonly key: string;
  readonly uid: string;
  readonly owners: readonly Owner[];
}

/** Facts about an owner. */
interface Owned {
  readonly keys: Set<string>;
  /** Store key of the owner; undefined if it has not been read or is gone. */
  at: string | undefined;
}

/**
 * Graph of owner references. It contains only objects with owners, and those that wait for their dependents to be deleted.
 *
 * Invariant: `#dependents` holds a key under an owner's uid exactly when `#objects` has that key with that owner.
 */
export class OwnershipGraph {
  readonly #objects = new Map<string, Dependent>();
  readonly #dependents = new Map<string, Owned>();
  /** Keys of objects in foreground deletion, by uid. */
  readonly #waiting = new Map<string, string>();
  /** Interned texts: there are many references and few kinds. */
  readonly #texts = new Map<string, string>();

  get(key: string): Dependent | undefined {
    return this.#objects.get(key);
  }

  get isEmpty(): boolean {
    return this.#objects.size + this.#waiting.size === 0;
  }

  dependentsOf(uid: string): readonly Dependent[] {
    const found: Dependent[] = [];
    for (const key of this.#dependents.get(uid)?.keys ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Store key of the object with this uid, if it owns anything and has been read. */
  ownerAt(uid: string): string | undefined {
    return this.#dependents.get(uid)?.at;
  }

  setOwnerAt(uid: string, key: string | undefined): void {
    const owned = this.#dependents.get(uid);
    if (owned !== undefined) owned.at = key;
  }

  /** Key of the object with this uid, if it is in foreground deletion. */
  waiting(uid: string): string | undefined {
    return this.#waiting.get(uid);
  }

  setWaiting(uid: string, key: string | undefined): void {
    if (key === undefined) this.#waiting.delete(uid);
    else this.#waiting.set(uid, key);
  }

  /**
   * One object waits for another to be deleted, directly or through others. Two objects that wait for each other would wait forever.
   */
  waitsFor(uid: string, other: string): boolean {
    const seen = new Set<string>();
    const left = [uid];
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      if (!this.#waiting.has(each) || seen.has(each)) continue;
      seen.add(each);
      for (const dependent of this.dependentsOf(each)) {
        if (!isBlocking(dependent, each)) continue;
        if (dependent.uid === other) return true;
        left.push(dependent.uid);
      }
    }
    return false;
  }

  /** Records an object under its owners; returns the record, or undefined when it has no owners. */
  set(key: string, { metadata }: KubeObject): Dependent | undefined {
    this.delete(key);
    const references = metadata.ownerReferences ?? [];
    if (references.length === 0) return undefined;
    const owners = references.map(({ apiVersion, kind, name, uid, blockOwnerDeletion }) => ({
      apiVersion: this.#intern(apiVersion),
      kind: this.#intern(kind),
      name,
      uid,
      blocked: blockOwnerDeletion === true,
    }));
    const object: Dependent = { key, uid: metadata.uid ?? "", owners };
    this.#objects.set(key, object);
    for (const { uid } of owners) {
      const owned = this.#dependents.get(uid);
      if (owned === undefined) this.#dependents.set(uid, { keys: new Set([key]), at: undefined });
      else owned.keys.add(key);
    }
    return object;
  }

  delete(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    for (const { uid } of object.owners) {
      const owned = this.#dependents.get(uid);
      owned?.keys.delete(key);
      if (owned?.keys.size === 0) this.#dependents.delete(uid);
    }
  }

  clear(): void {
    this.#objects.clear();
    this.#dependents.clear();
    this.#waiting.clear();
  }

  #intern(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size === mostTexts) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

/** A foreground deletion of the owner waits for this dependent. */
export function isBlocking({ owners }: Dependent, uid: string): boolean {
  return owners.some((owner) => owner.uid === uid && owner.blocked);
}
