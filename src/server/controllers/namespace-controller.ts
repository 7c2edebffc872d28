import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  type Condition,
  type Json,
  type KubeObject,
} from "../../model/core.js";
import { Compacted, type Entry, type StoreEvent } from "../../store/index.js";
import { objectKeyOf } from "../registry/keys.js";
import { namespacePrefix } from "../registry/namespaces.js";
import type { ResourceType } from "../resources/resource-type.js";
import { deletionConditions, type Remainder } from "./namespace-conditions.js";
import { ServerController, type FollowingControllerOptions } from "./server-controller.js";

const fieldManager = "fettle";

/** Namespaces that always exist, as in Kubernetes. */
const permanentNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Keeps a namespace until it is empty. */
const finalizer = "kubernetes";

/** Milliseconds between checks of a namespace whose content waits for finalizers. */
const recheckDelay = 5000;

/** Everything in a namespace is deleted, so dependents need not be considered. */
const background = { propagationPolicy: "Background" };

/**
 * Gives every namespace its default service account, and deletes the content of terminating namespaces.
 */
export class NamespaceController extends ServerController {
  readonly #processed: (revision: number) => Promise<void>;
  /** Existing namespaces; objects in others were left behind. */
  readonly #existing = new Set<string>();
  /** Terminating namespaces, which are reconciled at every deletion of an object in them. */
  readonly #terminating = new Set<string>();

  constructor(options: FollowingControllerOptions) {
    super(options);
    this.#processed = options.processed;
  }

  /** Creates the permanent namespaces, and reconciles all that exist. */
  async start(): Promise<void> {
    for (const name of permanentNamespaces) await this.#create(name);
    const { items } = await this.api.list(this.#namespaces, {});
    for (const { object } of items) this.#add(object.metadata.name ?? "");
  }

  changed(event: StoreEvent): void {
    if (event.key.startsWith(namespacePrefix)) {
      const name = event.key.slice(namespacePrefix.length);
      if (event.type === "delete") this.#forget(name);
      else this.#existing.add(name);
      this.work.add(name);
      return;
    }
    if (event.type === "put") return;
    const type = this.registry.types.ofKey(event.key);
    if (type?.namespaced !== true) return;
    const { namespace = "", name } = objectKeyOf(type, event.key);
    const isAccount = type.plural === "serviceaccounts" && type.group === "" && name === "default";
    if (isAccount || this.#terminating.has(namespace)) this.work.add(namespace);
  }

  present({ key }: Entry): void {
    const type = this.registry.types.ofKey(key);
    const { namespace } = type?.namespaced ? objectKeyOf(type, key) : {};
    if (namespace !== undefined && !this.#existing.has(namespace)) this.work.add(namespace);
    if (key.startsWith(namespacePrefix)) this.#add(key.slice(namespacePrefix.length));
  }

  missed(): void {
    for (const name of this.#existing) this.work.add(name);
  }

  #add(name: string): void {
    this.#existing.add(name);
    this.work.add(name);
  }

  #forget(name: string): void {
    this.#existing.delete(name);
    this.#terminating.delete(name);
  }

  protected async reconcile(name: string): Promise<void> {
    let namespace: KubeObject;
    try {
      namespace = (await this.api.get(this.#namespaces, { name })).object;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#forget(name);
      await this.#retryOnConflict(name, () => this.#deleteLeftovers(name));
      if (permanentNamespaces.includes(name)) await this.#create(name);
      return;
    }
    if (!namespace.metadata.deletionTimestamp) {
      await this.#ensureServiceAccount(name);
      return;
    }
    await this.#retryOnConflict(name, () => this.#terminate(name, namespace));
  }

  /** Reconciles again after a concurrent change or deletion, or when history was compacted meanwhile. */
  async #retryOnConflict(name: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const meanwhile = [isConflict, isNotFound, isExpired].some((is) => is(error));
      if (!meanwhile && !(error instanceof Compacted)) throw error;
      this.work.add(name);
    }
  }

  async #create(name: string): Promise<void> {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await ignoring(isAlreadyExists, () =>
      this.api.create(this.#namespaces, {}, { object }, { fieldManager }),
    );
  }

  /**
   * Deletes objects in a namespace that does not exist. Another server may have admitted a create just before the namespace began
   * to terminate, and committed it after the namespace was found empty.
   */
  async #deleteLeftovers(name: string): Promise<void> {
    await this.registry.settled(name);
    const { revision, entry } = await this.#readLatest(name);
    if (entry === undefined) await this.#deleteContent(name, revision);
  }

  /** The newest revision, and the namespace at that revision. */
  async #readLatest(name: string): Promise<{ revision: number; entry: Entry | undefined }> {
    const { revision } = await this.store.status();
    return { revision, entry: await this.store.get(namespacePrefix + name, { revision }) };
  }

  /**
   * Deletes the objects that were in a namespace at a revision. Newer ones may belong to a new namespace of the same name.
   */
  async #deleteContent(namespace: string, revision: number): Promise<void> {
    const then = { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
    for (const type of this.#namespaced) {
      await this.api.deleteCollection(type, { namespace }, then, background);
    }
  }

  async #ensureServiceAccount(namespace: string): Promise<void> {
    const type = this.#type("serviceaccounts");
    const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    try {
      await this.api.get(type, { namespace, name: "default" });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The namespace may be gone or terminating by now.
      const settled = (each: unknown): boolean =>
        isAlreadyExists(each) || isNotFound(each) || isForbidden(each);
      await ignoring(settled, () => this.api.create(type, { namespace }, { object }, { fieldManager }));
    }
  }

  async #terminate(name: string, namespace: KubeObject): Promise<void> {
    const { finalizers = [] } = (namespace.spec ?? {}) as { finalizers?: readonly string[] };
    if (!finalizers.includes(finalizer)) return;
    this.#terminating.add(name);
    await this.#processed(Number(namespace.metadata.resourceVersion));
    // Creates that were admitted before the namespace began to terminate must end, so that nothing appears after the last check.
    await this.registry.settled(name);
    const { revision, entry } = await this.#readLatest(name);
    if (String(entry?.revision) !== namespace.metadata.resourceVersion) {
      this.work.add(name);
      return;
    }
    await this.#deleteContent(name, revision);
    const left = await this.#remainingContent(name);
    const others = finalizers.filter((each) => each !== finalizer);
    const stays = left.length > 0 || others.length > 0 || (namespace.metadata.finalizers?.length ?? 0) > 0;
    const reported = stays ? await this.#reportProgress(namespace, left) : namespace;
    if (left.length === 0) await this.#write({ ...reported, spec: { finalizers: others } }, "finalize");
    else if (left.some(({ hasUnmarked }) => hasUnmarked)) this.work.add(name);
    else this.work.addLater(name, recheckDelay);
  }

  /** Objects that are left in a terminating namespace. */
  async #remainingContent(namespace: string): Promise<Remainder[]> {
    const left: Remainder[] = [];
    for (const type of this.#namespaced) {
      const { items } = await this.api.list(type, { namespace });
      if (items.length === 0) continue;
      const finalizers = new Map<string, number>();
      let hasUnmarked = false;
      for (const { object } of items) {
        if (!object.metadata.deletionTimestamp) hasUnmarked = true;
        for (const each of object.metadata.finalizers ?? [])
          finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
      }
      left.push({ type, count: items.length, finalizers, hasUnmarked });
    }
    return left;
  }

  async #reportProgress(namespace: KubeObject, left: readonly Remainder[]): Promise<KubeObject> {
    const { conditions = [] } = (namespace.status ?? {}) as { conditions?: readonly Condition[] };
    const status = { phase: "Terminating", conditions: deletionConditions(conditions, left, this.clock) };
    return this.#write({ ...namespace, status }, "status");
  }

  /** @throws {ApiError} 409 when the namespace has changed since it was read. */
  async #write(namespace: KubeObject, subresource: "status" | "finalize"): Promise<KubeObject> {
    const target = { name: namespace.metadata.name ?? "" };
    const body = { object: namespace as unknown as Json };
    const options = { fieldManager, subresource };
    return (await this.api.update(this.#namespaces, target, body, options)).object.object;
  }

  /** Every namespaced kind, in one version each. */
  get #namespaced(): readonly ResourceType[] {
    return this.registry.types.distinct.filter(({ namespaced }) => namespaced);
  }

  get #namespaces(): ResourceType {
    return this.#type("namespaces");
  }

  #type(plural: string): ResourceType {
    const type = this.registry.types.find("", "v1", plural);
    if (type === undefined) throw new Error(`${plural} are not served`);
    return type;
  }
}

async function ignoring(expected: (error: unknown) => boolean, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!expected(error)) throw error;
  }
}
