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
import { Compacted, type Entry, type WatchEvent } from "../../store/index.js";
import { objectKeyOf } from "../registry/keys.js";
import { namespacePrefix } from "../registry/namespaces.js";
import type { ResourceType } from "../resources/resource-type.js";
import { deletionConditions, type Remainder } from "./namespace-conditions.js";
import { ServerController, type FollowingControllerOptions } from "./server-controller.js";

const fieldManager = "fettle";

/** Namespaces that are always there, as in Kubernetes. */
const always = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Keeps a namespace until it is empty. */
const finalizer = "kubernetes";

/** How soon a namespace is looked at again when things in it wait for somebody else's finalizers. */
const patience = 5000;

/** A namespace takes everything with it, so nobody's dependents are waited for or left. */
const background = { propagationPolicy: "Background" };

/**
 * Gives every namespace its default service account, and empties those that are being deleted. What is left to do is
 * read from the objects themselves, so a crash at any point is made good by looking at every namespace once.
 */
export class NamespaceController extends ServerController {
  readonly #processed: (revision: number) => Promise<void>;
  /** All namespaces there are; what is found in others has been left behind. */
  readonly #existing = new Set<string>();
  /** Namespaces on their way out: only for these every deletion in them is of interest. */
  readonly #terminating = new Set<string>();

  constructor(options: FollowingControllerOptions) {
    super(options);
    this.#processed = options.processed;
  }

  /** Creates the namespaces that are always there, and looks at all there are. */
  async start(): Promise<void> {
    for (const name of always) await this.#create(name);
    const { items } = await this.api.list(this.#namespaces, {});
    for (const { object } of items) this.#note(object.metadata.name ?? "");
  }

  changed(event: WatchEvent): void {
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
    if (key.startsWith(namespacePrefix)) this.#note(key.slice(namespacePrefix.length));
  }

  missed(): void {
    for (const name of this.#existing) this.work.add(name);
  }

  #note(name: string): void {
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
      await this.#orLookAgain(name, () => this.#sweep(name));
      if (always.includes(name)) await this.#create(name);
      return;
    }
    if (!namespace.metadata.deletionTimestamp) {
      await this.#provideAccount(name);
      return;
    }
    await this.#orLookAgain(name, () => this.#empty(name, namespace));
  }

  /** What was changed, or is gone, by somebody else is looked at again; so is what was forgotten while it was looked at. */
  async #orLookAgain(name: string, act: () => Promise<void>): Promise<void> {
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
   * Deletes what is in a namespace that is not there. Another server may have let a creation in just before the
   * namespace began to go, and written it after the namespace was found to be empty.
   */
  async #sweep(name: string): Promise<void> {
    await this.registry.settled(name);
    const { revision, entry } = await this.#now(name);
    if (entry === undefined) await this.#purge(name, revision);
  }

  /** A revision, and the namespace as it was then. */
  async #now(name: string): Promise<{ revision: number; entry: Entry | undefined }> {
    const { revision } = await this.store.status();
    return { revision, entry: await this.store.get(namespacePrefix + name, { revision }) };
  }

  /**
   * Deletes what was in a namespace at a revision, and nothing that came since: that may be in another namespace of the
   * same name.
   */
  async #purge(namespace: string, revision: number): Promise<void> {
    const then = { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
    for (const type of this.#namespaced) {
      await this.api.deleteCollection(type, { namespace }, then, background);
    }
  }

  async #provideAccount(namespace: string): Promise<void> {
    const type = this.#type("serviceaccounts");
    const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    try {
      await this.api.get(type, { namespace, name: "default" });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The namespace may have gone, or begun to go, meanwhile.
      const settled = (each: unknown): boolean =>
        isAlreadyExists(each) || isNotFound(each) || isForbidden(each);
      await ignoring(settled, () => this.api.create(type, { namespace }, { object }, { fieldManager }));
    }
  }

  async #empty(name: string, namespace: KubeObject): Promise<void> {
    const { finalizers = [] } = (namespace.spec ?? {}) as { finalizers?: readonly string[] };
    if (!finalizers.includes(finalizer)) return;
    this.#terminating.add(name);
    await this.#processed(Number(namespace.metadata.resourceVersion));
    // Whoever was let in before the namespace began to go has to be done, so that nothing appears after the last look.
    await this.registry.settled(name);
    const { revision, entry } = await this.#now(name);
    if (String(entry?.revision) !== namespace.metadata.resourceVersion) {
      this.work.add(name);
      return;
    }
    await this.#purge(name, revision);
    const left = await this.#remainders(name);
    const others = finalizers.filter((each) => each !== finalizer);
    const stays = left.length > 0 || others.length > 0 || (namespace.metadata.finalizers?.length ?? 0) > 0;
    const told = stays ? await this.#report(namespace, left) : namespace;
    if (left.length === 0) await this.#write({ ...told, spec: { finalizers: others } }, "finalize");
    else if (left.some(({ late }) => late)) this.work.add(name);
    else this.work.addLater(name, patience);
  }

  /** What is in a namespace that is being deleted. */
  async #remainders(namespace: string): Promise<Remainder[]> {
    const left: Remainder[] = [];
    for (const type of this.#namespaced) {
      const { items } = await this.api.list(type, { namespace });
      if (items.length === 0) continue;
      const finalizers = new Map<string, number>();
      let late = false;
      for (const { object } of items) {
        if (!object.metadata.deletionTimestamp) late = true;
        for (const each of object.metadata.finalizers ?? [])
          finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
      }
      left.push({ type, count: items.length, finalizers, late });
    }
    return left;
  }

  async #report(namespace: KubeObject, left: readonly Remainder[]): Promise<KubeObject> {
    const { conditions = [] } = (namespace.status ?? {}) as { conditions?: readonly Condition[] };
    const status = { phase: "Terminating", conditions: deletionConditions(conditions, left, this.clock) };
    return this.#write({ ...namespace, status }, "status");
  }

  /** @throws a Conflict when the namespace is no longer the one that was read. */
  async #write(namespace: KubeObject, subresource: "status" | "finalize"): Promise<KubeObject> {
    const target = { name: namespace.metadata.name ?? "" };
    const body = { object: namespace as unknown as Json };
    const options = { fieldManager, subresource };
    return (await this.api.update(this.#namespaces, target, body, options)).object.object;
  }

  /** Every namespaced kind, in one of its versions. */
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
