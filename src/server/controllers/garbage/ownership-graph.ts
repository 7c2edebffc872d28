import type { KubeObject, OwnerReference } from "../../../model/core.js";

/** References may name kinds that do not exist, so their number has no other bound. */
const mostTexts = 1000;

/** An owner, as one of its dependents names it. */
type Owner = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid"> & {
  /** A foreground deletion of the owner waits for this dependent. */
  readonly blocked: boolean;
};

/** An object that has owners, as far as garbage collection needs to know it. */
export interface Dependent {
  readonly key: string;
  readonly uid: string;
  readonly owners: readonly Owner[];
}

/** What is known of an owner. */
interface Owned {
  readonly keys: Set<string>;
  /** Where the owner was found; nothing when nobody looked, or it is gone. */
  at: string | undefined;
}

/**
 * Who is owned by whom. Only objects with owners are in it, and those that wait for their dependents to go, so a store
 * without any costs nothing.
 *
 * Invariant: `#dependents` holds a key under an owner's uid exactly when `#objects` has that key with that owner.
 */
export class OwnershipGraph {
  readonly #objects = new Map<string, Dependent>();
  readonly #dependents = new Map<string, Owned>();
  /** Keys of objects in the middle of a foreground deletion, by their uid. */
  readonly #waiting = new Map<string, string>();
  /** A cluster has many references and few kinds: each text is kept once. */
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

  /** Where the object with this uid was found, if it owns anything. */
  ownerAt(uid: string): string | undefined {
    return this.#dependents.get(uid)?.at;
  }

  setOwnerAt(uid: string, key: string | undefined): void {
    const owned = this.#dependents.get(uid);
    if (owned !== undefined) owned.at = key;
  }

  /** The key of the object with this uid, if it waits for its dependents to go. */
  waiting(uid: string): string | undefined {
    return this.#waiting.get(uid);
  }

  setWaiting(uid: string, key: string | undefined): void {
    if (key === undefined) this.#waiting.delete(uid);
    else this.#waiting.set(uid, key);
  }

  /**
   * Whether one object waits for another to go, be it for the sake of others that wait in between. Two that wait for
   * each other would wait forever.
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

  /** Puts an object where its owners say; returns it as it stands there, or nothing when it has none. */
  set(key: string, { metadata }: KubeObject): Dependent | undefined {
    this.delete(key);
    const references = metadata.ownerReferences ?? [];
    if (references.length === 0) return undefined;
    const owners = references.map(({ apiVersion, kind, name, uid, blockOwnerDeletion }) => ({
      apiVersion: this.#once(apiVersion),
      kind: this.#once(kind),
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

  #once(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size === mostTexts) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

/** Whether a foreground deletion of the owner waits for a dependent. */
export function isBlocking({ owners }: Dependent, uid: string): boolean {
  return owners.some((owner) => owner.uid === uid && owner.blocked);
}
