import type { Client } from "../../client/client.js";
import { formatKind } from "../../client/object-ref.js";
import type { Informer, Informers } from "../../client/informer/informers.js";
import { Namespace } from "../../client/kinds/kubernetes.js";
import type { KindInfo, KindReference } from "../../client/kinds/kind.js";
import {
  diff,
  isAlreadyExists,
  isInvalid,
  isNotFound,
  type Clock,
  type Json,
  type KubeObject,
} from "../../model/core.js";
import { jsonEqual } from "../../model/object/json.js";
import { messageOf } from "../../runtime/log/message-of.js";
import { conflictMessage, type ConflictLog } from "./conflicts.js";
import type { MergeConflict, MergeSituation } from "./merge.js";
import { versionOf, type ObjectVersion } from "./object-version.js";
import type { PeerSettings } from "./peer-options.js";
import { managerOf, planPull, type PullPlan } from "./plan-pull.js";
import { isPlaneObject } from "./plane-objects.js";
import { syncAnnotation } from "./sync-record.js";

/** Identities of planes, as far as they are known. */
export interface PlaneIds {
  readonly here: string;
  readonly peer: string;
  /** Ids of all peers that a kind is pulled from. */
  peersOf(kind: KindReference): { readonly ids: ReadonlySet<string>; readonly areAllKnown: boolean };
}

interface PulledKindOptions {
  readonly reference: KindReference;
  readonly peer: PeerSettings;
  /** Client for this plane. */
  readonly local: Client;
  readonly localInformers: Informers;
  readonly remoteInformers: Informers;
  /** Client for the peer. */
  readonly remote: Client;
  readonly ids: PlaneIds;
  readonly clock: Clock;
  readonly conflicts: ConflictLog;
  /** Rejects unless the peer was still the same plane after the last call of `onRemoved` or `onListed`. */
  readonly confirmIdentity: () => Promise<void>;
  /** Called for each key that may have changed. */
  readonly onChange: (key: string) => void;
  /** Called before `onChange` when the peer no longer has an object. */
  readonly onRemoved: () => void;
  /** Called when the first list of the peer is complete. */
  readonly onListed: () => void;
}

/** Operation on an object here. */
export type PullOperation = "created" | "updated" | "deleted";

/** Informers of a kind here and at the peer. */
interface OpenedKind {
  readonly localKind: KindInfo;
  readonly local: Informer;
  /** By namespace; undefined for all. */
  readonly remote: ReadonlyMap<string | undefined, Informer>;
}

/** Objects of one kind that are pulled from a peer. */
export class PulledKind {
  readonly reference: KindReference;
  readonly #options: PulledKindOptions;
  #opened: OpenedKind | undefined;
  /** Why the kind cannot be pulled. */
  problem: string | undefined;

  constructor(options: PulledKindOptions) {
    this.reference = options.reference;
    this.#options = options;
  }

  /** Number of selected objects at the peer. */
  get size(): number {
    let size = 0;
    for (const informer of this.#opened?.remote.values() ?? []) size += informer.size;
    return size;
  }

  /** True when all objects are known, so that those that the peer does not have can be deleted. */
  get isReady(): boolean {
    return this.#opened !== undefined && [...this.#opened.remote.values()].every(({ synced }) => synced);
  }

  /** Starts to follow the objects; does nothing if it does already. A failure is kept as a problem, for this kind alone. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#opened !== undefined) return;
    try {
      await this.#open(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.problem = messageOf(error);
    }
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { local, remote, localInformers, remoteInformers, peer, onChange, onRemoved, onListed } =
      this.#options;
    const localKind = await this.#resolve(local, "here", signal);
    if (localKind === undefined) return;
    const remoteKind = await this.#resolve(remote, `at ${peer.name}`, signal);
    if (remoteKind === undefined) return;
    if (localKind.scope !== remoteKind.scope) {
      this.problem = `${formatKind(this.reference)} is ${localKind.scope} here, but ${remoteKind.scope} at ${peer.name}; register the same definition on both planes`;
      return;
    }
    this.problem = undefined;
    const here = await localInformers.open(localKind);
    await here.ready(signal);
    const namespaces = localKind.scope === "Cluster" ? undefined : peer.namespaces;
    const informers = new Map<string | undefined, Informer>();
    for (const namespace of namespaces ?? [undefined]) {
      const scope = { namespace, labelSelector: peer.selector };
      informers.set(namespace, await remoteInformers.open(remoteKind, scope));
    }
    this.#opened = { localKind, local: here, remote: informers };
    for (const informer of informers.values()) {
      informer.subscribe(({ type, object }) => {
        if (type === "DELETED") onRemoved();
        this.#changed(object, onChange);
      });
    }
    here.subscribe(({ object, initial }) => {
      if (!initial) this.#changed(object, onChange);
    });
    // Rejects only when the informers are closed.
    Promise.all(Array.from(informers.values(), (informer) => informer.ready())).then(onListed, () => {});
  }

  close(): void {
    this.#opened?.local.release();
    for (const informer of this.#opened?.remote.values() ?? []) informer.release();
    this.#opened = undefined;
  }

  /**
   * Keys of all objects that may have to be pulled: those of the peer, and copies here that came from it. Undefined for other objects,
   * so that the caller can count the work.
   */
  *keys(): Generator<string | undefined, void, undefined> {
    const { ids } = this.#options;
    const opened = this.#opened;
    if (opened === undefined || !this.isReady) return;
    for (const informer of opened.remote.values()) {
      for (const object of informer.list()) yield this.#isSelected(object) ? keyOf(object) : undefined;
    }
    for (const object of opened.local.list()) {
      const key = keyOf(object);
      const isCopy = object.metadata.annotations?.[syncAnnotation] !== undefined && this.#isSelected(object);
      const isMissing = isCopy && this.#remoteObject(key) === undefined;
      yield isMissing && versionOf(object, ids.here).path.at(-1) === ids.peer ? key : undefined;
    }
  }

  /** True if an object has to be written, according to the caches. Reports a conflict that needs no write. */
  needsPull(key: string): boolean {
    const opened = this.#opened;
    if (opened === undefined) return false;
    const local = opened.local.get(key);
    const { plan, situation } = this.#plan(key, local);
    if (plan.action !== "none") return true;
    this.#report(plan, situation);
    return this.#needsStatus(situation);
  }

  /** Brings one object here up to date. */
  async pull(key: string, signal: AbortSignal): Promise<PullOperation | undefined> {
    const opened = this.#opened;
    if (opened === undefined) return undefined;
    const { local } = this.#options;
    const ref = refOf(key);
    const found: KubeObject | undefined = await local.find(opened.localKind, ref, { signal });
    const { plan, situation } = this.#plan(key, found);
    const operation = await this.#execute(plan, situation, opened.localKind, signal);
    this.#report(plan, situation);
    return (await this.#pullStatus(key, opened.localKind, signal)) ?? operation;
  }

  async #execute(
    plan: PullPlan,
    situation: MergeSituation,
    kind: KindInfo,
    signal: AbortSignal,
  ): Promise<PullOperation | undefined> {
    const { local, peer, confirmIdentity } = this.#options;
    const { action, body } = plan;
    const fieldManager = managerOf(peer.name);
    if (action === "none") return undefined;
    if (action === "delete") {
      const { uid, resourceVersion, name = "", namespace } = situation.local?.object.metadata ?? {};
      // Another plane may have taken the address of the peer: that its objects are missing would mean nothing.
      await confirmIdentity();
      await local.delete(kind, { name, namespace }, { preconditions: { uid, resourceVersion }, signal });
      return "deleted";
    }
    if (body === undefined) return undefined;
    const write = async (): Promise<KubeObject> => {
      if (action === "create") return local.create(body, { fieldManager, signal });
      if (action === "update") return local.update(body, { fieldManager, signal });
      return local.apply(body, { fieldManager, force: plan.force, signal });
    };
    try {
      const written = await this.#inNamespace(
        body.metadata.namespace,
        situation.local === undefined,
        write,
        signal,
      );
      await this.#checkStored(plan, situation, written, signal);
    } catch (error) {
      if (isInvalid(error))
        this.#addConflict({ reason: "SchemaDiffers", kept: "ours" }, situation, messageOf(error));
      throw error;
    }
    return situation.local === undefined ? "created" : "updated";
  }

  /** Creates the namespace of a new object if it does not exist. */
  async #inNamespace<T>(
    namespace: string | undefined,
    isNew: boolean,
    write: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { local, peer } = this.#options;
    try {
      return await write();
    } catch (error) {
      if (!isNew || namespace === undefined || !isNotFound(error)) throw error;
      if ((await local.find(Namespace, namespace, { signal })) !== undefined) throw error;
      const fieldManager = managerOf(peer.name);
      await local
        .create(Namespace, { metadata: { name: namespace } }, { fieldManager, signal })
        .catch((problem: unknown) => {
          if (!isAlreadyExists(problem)) throw problem;
        });
      return write();
    }
  }

  /** Records the content that the server stored if it is not what was written, so that it does not count as an edit. */
  async #checkStored(
    { hash, record }: PullPlan,
    situation: MergeSituation,
    written: KubeObject,
    signal: AbortSignal,
  ): Promise<void> {
    const { local, ids, peer } = this.#options;
    const stored = versionOf(written, ids.here);
    if (hash === undefined || record === undefined || stored.hash === hash) return;
    const annotations = {
      ...written.metadata.annotations,
      [syncAnnotation]: JSON.stringify({ ...record, stored: stored.hash }),
    };
    const body = { ...written, metadata: { ...written.metadata, annotations } };
    await local.update(body, { fieldManager: managerOf(peer.name), signal });
    const changes = diff(situation.remote?.content as unknown as Json, stored.content as unknown as Json);
    const fields = changes.slice(0, maxFields).map(({ path }) => contentPath(path));
    this.#addConflict(
      { reason: "SchemaDiffers", kept: "theirs" },
      situation,
      `${fields.join(", ")} changed`,
      fields,
    );
  }

  async #pullStatus(key: string, kind: KindInfo, signal: AbortSignal): Promise<PullOperation | undefined> {
    const { local, peer } = this.#options;
    const remote = this.#remoteObject(key);
    if (!peer.status || remote?.status === undefined) return undefined;
    const found: KubeObject | undefined = await local.find(kind, refOf(key), { signal });
    const { situation } = this.#plan(key, found);
    if (found === undefined || !this.#needsStatus(situation)) return undefined;
    const body = { ...found, status: remote.status };
    const options = { fieldManager: managerOf(peer.name), signal };
    await local.updateStatus(body, options).catch((error: unknown) => {
      // Kinds without the subresource have their status in the object.
      if (!isNotFound(error)) throw error;
      return local.update(body, options);
    });
    return "updated";
  }

  /** The status of a copy follows the plane that it came from. */
  #needsStatus({ local, remote, peer }: MergeSituation): boolean {
    if (!this.#options.peer.status || remote?.object.status === undefined || remote.isDeleting) return false;
    if (local === undefined || local.path.at(-1) !== peer) return false;
    const { status } = local.object;
    return status === undefined || !jsonEqual(status as Json, remote.object.status as Json);
  }

  #plan(
    key: string,
    local: KubeObject | undefined,
  ): { readonly plan: PullPlan; readonly situation: MergeSituation } {
    const { ids, peer } = this.#options;
    const remote = this.#remoteObject(key);
    const { ids: peers, areAllKnown } = ids.peersOf(this.reference);
    const situation: MergeSituation = {
      here: ids.here,
      peer: ids.peer,
      peers,
      areAllKnown,
      local: local && versionOf(local, ids.here),
      remote: remote && versionOf(remote, ids.peer),
    };
    // As long as the list of the peer is incomplete, a missing object may still come.
    if (remote === undefined && !this.isReady) return { plan: { action: "none" }, situation };
    return { plan: planPull(situation, peer), situation };
  }

  #report({ conflict, fields, refusal }: PullPlan, situation: MergeSituation): void {
    if (conflict !== undefined) this.#addConflict(conflict, situation, fields?.join(", "), fields, refusal);
  }

  #addConflict(
    { reason, kept }: MergeConflict,
    { local, remote }: MergeSituation,
    detail?: string,
    fields?: readonly string[],
    sides = `${hashOrNone(local)} ${hashOrNone(remote)}`,
  ): void {
    const { conflicts, peer, clock } = this.#options;
    const object = (remote ?? local)?.object;
    if (object === undefined) return;
    const { name = "", namespace } = object.metadata;
    const signature = `${sides} ${detail ?? ""}`;
    const message = conflictMessage(reason, kept, peer.name, object, detail);
    conflicts.add(
      { peer: peer.name, ...this.reference, namespace, name, reason, kept, message, fields, at: clock.now() },
      signature,
    );
  }

  #changed(object: KubeObject, onChange: (key: string) => void): void {
    const key = keyOf(object);
    if (this.#isSelected(object) && this.needsPull(key)) onChange(key);
  }

  #isSelected(object: KubeObject): boolean {
    const remote = this.#opened?.remote;
    if (remote === undefined || isPlaneObject(object)) return false;
    return remote.has(undefined) || remote.has(object.metadata.namespace);
  }

  #remoteObject(key: string): KubeObject | undefined {
    const remote = this.#opened?.remote;
    return (remote?.get(undefined) ?? remote?.get(refOf(key).namespace))?.get(key);
  }

  async #resolve(client: Client, where: string, signal: AbortSignal): Promise<KindInfo | undefined> {
    try {
      return await client.kind(this.reference, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.problem = `${formatKind(this.reference)} does not exist ${where}; register its definition`;
      return undefined;
    }
  }
}

/** Fields listed in a conflict. */
const maxFields = 10;

/** Path in an object of a path in its content. */
function contentPath([first, ...rest]: readonly (string | number)[]): string {
  const path = first === "fields" ? rest : ["metadata", first, ...rest];
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
}

function hashOrNone(version: ObjectVersion | undefined): string {
  return version?.hash ?? "none";
}

function keyOf({ metadata: { namespace, name = "" } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function refOf(key: string): { readonly name: string; readonly namespace?: string | undefined } {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
