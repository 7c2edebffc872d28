import {
  foregroundFinalizer,
  isConflict,
  isNotFound,
  orphanFinalizer,
  type KubeObject,
  type OwnerReference,
} from "../../../model/core.js";
import type { Entry, StoreEvent } from "../../../store/index.js";
import { pause } from "../../event-loop/turns.js";
import { storeKey, objectKeyOf } from "../../registry/keys.js";
import { concurrently } from "../concurrently.js";
import { ServerController, type FollowingControllerOptions } from "../server-controller.js";
import { isOwnerElsewhere, warnOfForeignOwner } from "./foreign-owner.js";
import { find, deleteDependent, removeFinalizer, setOwners, type CurrentObject } from "./objects.js";
import { isBlocking, OwnershipGraph, type Dependent } from "./ownership-graph.js";
import { Parked } from "./parked.js";

/** Concurrent writes; the store commits them together. */
const concurrency = 32;

/** Events are numerous and expire: as in Kubernetes they are not collected. */
const eventPrefix = "/core/events/";

/** Name under which the collector takes turns with users. */
const pauseName = "system:fettle:garbage-collector";

const mentionsOwners = Buffer.from('"ownerReferences":[');
const mentionsFinalizers = Buffer.from('"finalizers":[');

/**
 * Deletes objects whose owners are all gone, and completes deletions with the policies Foreground (dependents first) and Orphan
 * (dependents stay).
 *
 * A key is reconciled when its owners change or are deleted, and when a deletion that concerns it begins or proceeds. Nothing is
 * done before the graph is complete: an owner whose dependents have not been read yet would seem to have none.
 */
export class GarbageCollector extends ServerController {
  readonly #processed: (revision: number) => Promise<void>;
  readonly #graph = new OwnershipGraph();
  /** Keys of unserved kinds, or with owners of unserved kinds. */
  readonly #parked: Parked;
  /** Keys with owner references that have not been checked yet. */
  readonly #fresh = new Set<string>();
  /** Keys that were reconciled before the graph was complete. */
  readonly #early = new Set<string>();
  /** Counts deletions: an owner that was read before a deletion may be the deleted one. */
  #gone = 0;
  #complete = false;

  constructor(options: FollowingControllerOptions) {
    super(options, concurrency);
    this.#processed = options.processed;
    this.#parked = new Parked(options.registry.types, (key) => this.work.add(key));
  }

  override stop(): Promise<void> {
    this.#parked.stop();
    return super.stop();
  }

  /** Resolves when the dependents of objects that were gone at a revision have been reconciled. */
  async collected(revision: number): Promise<void> {
    await this.#processed(revision);
    await this.work.caughtUp();
  }

  changed(event: StoreEvent): void {
    if (event.key.startsWith(eventPrefix)) return;
    if (event.type === "put") this.#note(event.entry);
    else this.#noteGone(event);
  }

  present(entry: Entry): void {
    if (!entry.key.startsWith(eventPrefix)) this.#note(entry);
  }

  complete(): void {
    this.#complete = true;
    for (const key of this.#early) this.work.add(key);
    this.#early.clear();
  }

  missed(): void {
    this.#complete = false;
    this.#gone++;
    this.#graph.clear();
  }

  #note(entry: Entry): void {
    const { key } = entry;
    const before = this.#graph.get(key);
    if (!before && !this.#mayMatter(entry)) return;
    const object = JSON.parse(asBuffer(entry.value).toString()) as KubeObject;
    const { uid = "" } = object.metadata;
    const after = this.#graph.set(key, object);
    const waits = isDeletingDependents(object);
    const waited = this.#graph.waiting(uid) !== undefined;
    this.#graph.setWaiting(uid, waits ? key : undefined);
    if (waits || isOrphaning(object)) {
      this.#fresh.delete(key);
      this.work.add(key);
    } else if (after && !isSame(before, after)) {
      this.#fresh.add(key);
      this.work.add(key);
    }
    if (waits && !waited) this.#beginWaiting(uid, after);
    if (before) this.#unblock(before, after);
  }

  /** An object that may have owners, or finalizers of the collector. Most have neither, and are not parsed to find out. */
  #mayMatter(entry: Entry): boolean {
    const metadata = this.registry.objects.metadata(entry);
    if (metadata !== undefined) return Boolean(metadata.ownerReferences ?? metadata.finalizers);
    const bytes = asBuffer(entry.value);
    return bytes.includes(mentionsOwners) || bytes.includes(mentionsFinalizers);
  }

  #noteGone({ key, previous }: StoreEvent): void {
    this.#parked.delete(key);
    if (this.#graph.isEmpty) return;
    const node = this.#graph.get(key);
    this.#graph.delete(key);
    if (node) this.#unblock(node, undefined);
    const uid = node?.uid ?? (previous && uidIn(previous.value));
    if (uid === undefined) return;
    this.#gone++;
    this.#graph.setOwnerAt(uid, undefined);
    this.#graph.setWaiting(uid, undefined);
    for (const dependent of this.#graph.dependentsOf(uid)) this.work.add(dependent.key);
  }

  #beginWaiting(uid: string, object: Dependent | undefined): void {
    for (const dependent of this.#graph.dependentsOf(uid)) this.work.add(dependent.key);
    // Objects that wait for this one may now form a cycle.
    for (const owner of object?.owners ?? []) this.#wake(owner.uid);
  }

  /** Reconciles owners that no longer have to wait for an object. */
  #unblock(before: Dependent, after: Dependent | undefined): void {
    const blocked = new Set(after?.owners.filter((owner) => owner.blocked).map(({ uid }) => uid));
    for (const owner of before.owners) {
      if (owner.blocked && !blocked.has(owner.uid)) this.#wake(owner.uid);
    }
  }

  #wake(uid: string): void {
    const key = this.#graph.waiting(uid);
    if (key !== undefined) this.work.add(key);
  }

  protected async reconcile(key: string): Promise<void> {
    if (!this.#complete) {
      this.#early.add(key);
      return;
    }
    try {
      await this.#collectOrRelease(key);
    } catch (error) {
      // Somebody else changed or deleted something: reconcile again.
      if (isConflict(error) || isNotFound(error)) this.work.add(key);
      else throw error;
    }
  }

  async #collectOrRelease(key: string): Promise<void> {
    const fresh = this.#fresh.delete(key);
    if (fresh && this.#isOwned(key)) return;
    const type = this.registry.types.ofKey(key);
    if (type === undefined) {
      this.#parked.addUnserved(key);
      return;
    }
    const found = await find(this.api, type, key);
    if (found === undefined) return;
    const { metadata } = found.object;
    if (isOrphaning(found.object)) await this.#orphan(found);
    else if (isDeletingDependents(found.object)) await this.#release(found);
    else if (!metadata.deletionTimestamp && metadata.ownerReferences) await this.#collect(found, fresh);
  }

  /** All owners of an object are known to exist, so that nothing has to be read. */
  #isOwned(key: string): boolean {
    return (
      this.#graph.get(key)?.owners.every((owner) => {
        if (this.#graph.waiting(owner.uid) !== undefined) return false;
        const at = this.#graph.ownerAt(owner.uid);
        return at !== undefined && at === this.#ownerKey(key, owner);
      }) ?? false
    );
  }

  /** Store key at which the owner that an object refers to must be. */
  #ownerKey(
    key: string,
    { apiVersion, kind, name }: Pick<OwnerReference, "apiVersion" | "kind" | "name">,
  ): string | undefined {
    const type = this.registry.types.ofKey(key);
    const ownerType = this.registry.types.ofKind(apiVersion, kind);
    // A cluster-scoped object cannot say in which namespace its owner is.
    if (!type || !ownerType || (ownerType.namespaced && !type.namespaced)) return undefined;
    return storeKey(ownerType, { ...objectKeyOf(type, key), name });
  }

  /** Deletes an object unless one of its owners exists and is not waiting for it to be deleted. */
  async #collect(found: CurrentObject, fresh: boolean): Promise<void> {
    const { uid = "", ownerReferences: owners = [], finalizers = [] } = found.object.metadata;
    const solid: OwnerReference[] = [];
    const waiting: KubeObject[] = [];
    for (const reference of owners) {
      // There may be thousands of them.
      await pause(pauseName);
      const owner = await this.#findOwner(found, reference, fresh);
      if (owner === "unresolvable") return;
      if (owner === undefined) continue;
      if (isDeletingDependents(owner)) waiting.push(owner);
      else solid.push(reference);
    }
    if (solid.length > 0) {
      if (solid.length < owners.length) await setOwners(this.api, found, solid);
      return;
    }
    for (const owner of waiting) if (!(await this.#isGraphComplete(found.key, owner))) return;
    // An owner that waits for this object waits for its dependents too.
    const foreground = waiting.length > 0 && this.#graph.dependentsOf(uid).length > 0;
    if (foreground || finalizers.includes(foregroundFinalizer))
      await deleteDependent(this.api, found, "Foreground");
    else if (finalizers.includes(orphanFinalizer)) await deleteDependent(this.api, found, "Orphan");
    else await deleteDependent(this.api, found, "Background");
  }

  /** Foreground: removes the owner's finalizer when its blocking dependents are gone. */
  async #release(found: CurrentObject): Promise<void> {
    const { key, type, object } = found;
    const { uid = "" } = object.metadata;
    if (!(await this.#isGraphComplete(key, object))) return;
    const blocked = this.#graph.dependentsOf(uid).some((dependent) => {
      const dependentType = this.registry.types.ofKey(dependent.key);
      // An unserved kind cannot be deleted; a cluster-scoped object cannot have a namespaced owner.
      if (dependentType === undefined || (type.namespaced && !dependentType.namespaced)) return false;
      return isBlocking(dependent, uid) && !this.#graph.waitsFor(dependent.uid, uid);
    });
    if (!blocked) await removeFinalizer(this.api, found, foregroundFinalizer);
  }

  /** Orphan: removes the owner from its dependents, then the finalizer from the owner. */
  async #orphan(found: CurrentObject): Promise<void> {
    const { uid = "" } = found.object.metadata;
    if (!(await this.#isGraphComplete(found.key, found.object))) return;
    await concurrently(this.#graph.dependentsOf(uid), concurrency, async ({ key }) => {
      const type = this.registry.types.ofKey(key);
      const dependent = type && (await find(this.api, type, key));
      const owners = dependent?.object.metadata.ownerReferences ?? [];
      const kept = owners.filter((owner) => owner.uid !== uid);
      if (dependent && kept.length < owners.length) await setOwners(this.api, dependent, kept);
    });
    await removeFinalizer(this.api, found, orphanFinalizer);
  }

  /** Waits until the graph contains everything up to an object's revision; false if the initial read is not complete. */
  async #isGraphComplete(key: string, { metadata }: KubeObject): Promise<boolean> {
    await this.#processed(Number(metadata.resourceVersion));
    if (!this.#complete) this.#early.add(key);
    return this.#complete;
  }

  /** Owner that a reference is for: the object with this name and uid. */
  async #findOwner(
    found: CurrentObject,
    reference: OwnerReference,
    fresh: boolean,
  ): Promise<KubeObject | "unresolvable" | undefined> {
    const { apiVersion, kind, uid } = reference;
    const type = this.registry.types.ofKind(apiVersion, kind);
    if (type === undefined) {
      this.#parked.addOwnerUnserved(found.key, apiVersion, kind);
      return "unresolvable";
    }
    const key = this.#ownerKey(found.key, reference);
    if (key !== undefined) {
      const gone = this.#gone;
      const owner = await find(this.api, type, key);
      if (owner?.object.metadata.uid === uid) {
        if (gone === this.#gone) this.#graph.setOwnerAt(uid, key);
        return owner.object;
      }
    }
    if (fresh && (await isOwnerElsewhere(this.store, found, reference, type))) {
      await warnOfForeignOwner(
        { api: this.api, types: this.registry.types, clock: this.clock },
        found,
        reference,
      );
    }
    return key === undefined ? "unresolvable" : undefined;
  }
}

function isSame(before: Dependent | undefined, after: Dependent): boolean {
  if (before?.uid !== after.uid || before.owners.length !== after.owners.length) return false;
  return after.owners.every((owner, index) => {
    const other = before.owners[index];
    return (
      owner.uid === other?.uid &&
      owner.name === other.name &&
      owner.kind === other.kind &&
      owner.apiVersion === other.apiVersion &&
      owner.blocked === other.blocked
    );
  });
}

function uidIn(value: Uint8Array): string | undefined {
  return (JSON.parse(asBuffer(value).toString()) as KubeObject).metadata.uid;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function isDeletingDependents({ metadata }: KubeObject): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers?.includes(foregroundFinalizer) ?? false);
}

function isOrphaning({ metadata }: KubeObject): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers?.includes(orphanFinalizer) ?? false);
}
