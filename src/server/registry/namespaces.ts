import { ApiError, failures, type KubeObject } from "../../model/core.js";
import type { Entry, Store } from "../../store/index.js";
import type { ResourceType } from "../resources/resource-type.js";
import { fromStore } from "./store-failures.js";

export const namespacePrefix = "/core/namespaces/";

/** Number of cached namespaces at which the cache is cleared, to bound memory. */
const maxCached = 10_000;

/** Refuses to create objects in a namespace that does not exist or is being deleted. */
export class Namespaces {
  readonly #store: Store;
  /** State of each namespace at a revision, so that it is not parsed for every object created in it. */
  readonly #cache = new Map<string, { revision: number; terminating: boolean }>();
  /** Creations in progress by namespace, and the callbacks that wait for their end. */
  readonly #creations = new Map<string, { count: number; waiting: (() => void)[] }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Runs `work`, which creates an object in a namespace.
   *
   * @throws {ApiError} 404 if the namespace does not exist, 403 if it is being deleted.
   */
  async create<Result>(
    type: ResourceType,
    namespace: string,
    name: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    let creations = this.#creations.get(namespace);
    if (creations === undefined) {
      creations = { count: 0, waiting: [] };
      this.#creations.set(namespace, creations);
    }
    creations.count++;
    try {
      const entry = await fromStore(this.#store.get(namespacePrefix + namespace));
      this.#checkActive(type, namespace, name, entry);
      return await work();
    } finally {
      creations.count--;
      if (creations.count === 0) {
        this.#creations.delete(namespace);
        for (const resolve of creations.waiting) resolve();
      }
    }
  }

  /**
   * Resolves when every creation in progress has ended. A terminating namespace admits no more, so a list after this
   * is complete.
   */
  async creationsSettled(namespace: string): Promise<void> {
    const creations = this.#creations.get(namespace);
    if (creations !== undefined) await new Promise<void>((resolve) => creations.waiting.push(resolve));
  }

  #checkActive(type: ResourceType, namespace: string, name: string, entry: Entry | undefined): void {
    if (entry === undefined) {
      this.#cache.delete(namespace);
      throw failures.notFound({ group: "", resource: "namespaces" }, namespace);
    }
    let state = this.#cache.get(namespace);
    if (state?.revision !== entry.revision) {
      const { metadata, status } = JSON.parse(Buffer.from(entry.value).toString()) as KubeObject<
        unknown,
        { phase?: string }
      >;
      const terminating = Boolean(metadata.deletionTimestamp) || status?.phase === "Terminating";
      state = { revision: entry.revision, terminating };
      if (this.#cache.size >= maxCached) this.#cache.clear();
      this.#cache.set(namespace, state);
    }
    if (state.terminating) throw terminatingError(type, namespace, name);
  }
}

function terminatingError({ group, plural }: ResourceType, namespace: string, name: string): ApiError {
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = failures.forbidden({ group, resource: plural }, name, reason);
  return new ApiError({
    ...status,
    details: {
      ...status.details,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
  });
}
