import {
  foregroundFinalizer,
  isConflict,
  isNotFound,
  orphanFinalizer,
  type KubeObject,
  type OwnerReference,
} from "../../../model/core.js";
import type { Entry, WatchEvent } from "../../../store/index.js";
import { keyOf, objectKeyOf } from "../../registry/keys.js";
import { concurrently } from "../concurrently.js";
import { ServerController, type FollowingControllerOptions } from "../server-controller.js";
import { isOwnerElsewhere, warnOfForeignOwner } from "./foreign-owner.js";
import { find, remove, removeFinalizer, setOwners, type Found } from "./objects.js";
import { isBlocking, OwnershipGraph, type Dependent } from "./ownership-graph.js";
import { Parked } from "./parked.js";

/** How many objects are written at the same time; the store makes them durable together. */
const width = 32;

/** Events come and go by themselves, with many at a time: as in Kubernetes they are left alone. */
const eventPrefix = "/core/events/";

const mentionsOwners = Buffer.from('"ownerReferences":[');
const mentionsFinalizers = Buffer.from('"finalizers":[');

/**
 * Deletes what has lost all its owners, and completes deletions that asked for their dependents to go first
 * (foreground) or to be left (orphan).
 *
 * It keeps no state of its own that matters: the graph is made from the stored objects, every step is one write that
 * makes sense by itself, and whoever starts anew finds what is left to do in the same objects.
 *
 * Keys are looked at when their owners change or go, or a deletion that concerns them begins or goes on. Nothing is done
 * before the graph is complete: an owner whose dependents are not known yet would seem to have none.
 */
export class GarbageCollector extends ServerController {
  readonly #processed: (revision: number) => Promise<void>;
  readonly #graph = new OwnershipGraph();
  /** Keys whose owners are of a kind, or that are themselves, that nobody serves. */
  readonly #parked: Parked;
  /** Keys whose owners were not looked at since they were named. */
  readonly #fresh = new Set<string>();
  /** Keys that came up before the graph was complete. */
  readonly #early = new Set<string>();
  /** Counts objects that went: what was found before one did may have been that one. */
  #gone = 0;
  #complete = false;

  constructor(options: FollowingControllerOptions) {
    super(options, width);
    this.#processed = options.processed;
    this.#parked = new Parked(options.registry.types, (key) => this.work.add(key));
  }

  override stop(): Promise<void> {
    this.#parked.stop();
    return super.stop();
  }

  /** Resolves when whatever depended on objects that were gone at a revision has been looked at. */
  async collected(revision: number): Promise<void> {
    await this.#processed(revision);
    await this.work.caughtUp();
  }

  changed(event: WatchEvent): void {
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

  #noteGone({ key, previous }: WatchEvent): void {
    this.#parked.delete(key);
    if (this.#graph.isEmpty) return;
    const known = this.#graph.get(key);
    this.#graph.delete(key);
    if (known) this.#unblock(known, undefined);
    const uid = known?.uid ?? (previous && uidIn(previous.value));
    if (uid === undefined) return;
    this.#gone++;
    this.#graph.setOwnerAt(uid, undefined);
    this.#graph.setWaiting(uid, undefined);
    for (const dependent of this.#graph.dependentsOf(uid)) this.work.add(dependent.key);
  }

  #beginWaiting(uid: string, object: Dependent | undefined): void {
    for (const dependent of this.#graph.dependentsOf(uid)) this.work.add(dependent.key);
    // Who waits for this one may now wait in a circle.
    for (const owner of object?.owners ?? []) this.#wake(owner.uid);
  }

  /** Those that wait for an object may go on when it no longer blocks them. */
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
      await this.#decide(key);
    } catch (error) {
      // Something was changed, or is gone, by somebody else: look again.
      if (isConflict(error) || isNotFound(error)) this.work.add(key);
      else throw error;
    }
  }

  async #decide(key: string): Promise<void> {
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

  /** Whether all owners of an object are known to be there, so that nothing has to be read to leave it alone. */
  #isOwned(key: string): boolean {
    return (
      this.#graph.get(key)?.owners.every((owner) => {
        if (this.#graph.waiting(owner.uid) !== undefined) return false;
        const at = this.#graph.ownerAt(owner.uid);
        return at !== undefined && at === this.#ownerKey(key, owner);
      }) ?? false
    );
  }

  /** Where the owner that an object names would have to be. */
  #ownerKey(
    key: string,
    { apiVersion, kind, name }: Pick<OwnerReference, "apiVersion" | "kind" | "name">,
  ): string | undefined {
    const type = this.registry.types.ofKey(key);
    const ownerType = this.registry.types.ofKind(apiVersion, kind);
    // What belongs to no namespace cannot say in which one its owner is.
    if (!type || !ownerType || (ownerType.namespaced && !type.namespaced)) return undefined;
    return keyOf(ownerType, { ...objectKeyOf(type, key), name });
  }

  /** The heart: an object stays while one of its owners does. */
  async #collect(found: Found, fresh: boolean): Promise<void> {
    const { uid = "", ownerReferences: owners = [], finalizers = [] } = found.object.metadata;
    const solid: OwnerReference[] = [];
    const waiting: KubeObject[] = [];
    for (const reference of owners) {
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
    for (const owner of waiting) if (!(await this.#isKnown(found.key, owner))) return;
    // Who waits for this one to go waits for its dependents too.
    const foreground = waiting.length > 0 && this.#graph.dependentsOf(uid).length > 0;
    if (foreground || finalizers.includes(foregroundFinalizer)) await remove(this.api, found, "Foreground");
    else if (finalizers.includes(orphanFinalizer)) await remove(this.api, found, "Orphan");
    else await remove(this.api, found, "Background");
  }

  /** Foreground: when the dependents that block are gone, the finalizer that holds the owner goes. */
  async #release(found: Found): Promise<void> {
    const { key, type, object } = found;
    const { uid = "" } = object.metadata;
    if (!(await this.#isKnown(key, object))) return;
    const blocked = this.#graph.dependentsOf(uid).some((dependent) => {
      const dependentType = this.registry.types.ofKey(dependent.key);
      // Nobody can delete what nobody serves, or what cannot have such an owner.
      if (dependentType === undefined || (type.namespaced && !dependentType.namespaced)) return false;
      return isBlocking(dependent, uid) && !this.#graph.waitsFor(dependent.uid, uid);
    });
    if (!blocked) await removeFinalizer(this.api, found, foregroundFinalizer);
  }

  /** Orphan: dependents forget their owner, then the finalizer goes. */
  async #orphan(found: Found): Promise<void> {
    const { uid = "" } = found.object.metadata;
    if (!(await this.#isKnown(found.key, found.object))) return;
    await concurrently(this.#graph.dependentsOf(uid), width, async ({ key }) => {
      const type = this.registry.types.ofKey(key);
      const dependent = type && (await find(this.api, type, key));
      const owners = dependent?.object.metadata.ownerReferences ?? [];
      const kept = owners.filter((owner) => owner.uid !== uid);
      if (dependent && kept.length < owners.length) await setOwners(this.api, dependent, kept);
    });
    await removeFinalizer(this.api, found, orphanFinalizer);
  }

  /** Whether the graph has all that was written before an object; if not, the key is looked at when it does. */
  async #isKnown(key: string, { metadata }: KubeObject): Promise<boolean> {
    await this.#processed(Number(metadata.resourceVersion));
    if (!this.#complete) this.#early.add(key);
    return this.#complete;
  }

  /** The owner that a reference means: same place, same uid. Anybody else under its name is not it. */
  async #findOwner(
    found: Found,
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
