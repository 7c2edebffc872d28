import { ApiError, failures, type KubeObject } from "../../model/core.js";
import type { Entry, Store } from "../../store/index.js";
import type { ResourceType } from "../resources/resource-type.js";
import { fromStore } from "./store-failures.js";

export const namespacePrefix = "/core/namespaces/";

/** How many namespaces are remembered at most; more than are in use at a time anywhere. */
const mostKnown = 10_000;

/** Decides what may be created where: only in a namespace that exists and is not on its way out. */
export class Namespaces {
  readonly #store: Store;
  /** What was read of a namespace at a revision, so that it is not parsed for every object in it. */
  readonly #known = new Map<string, { revision: number; terminating: boolean }>();
  /** Creations that were let in and have not ended, and who waits for them. */
  readonly #entered = new Map<string, { count: number; waiting: (() => void)[] }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Runs a creation in a namespace, or refuses it. */
  async entering<Result>(
    type: ResourceType,
    namespace: string,
    name: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    let entered = this.#entered.get(namespace);
    if (entered === undefined) {
      entered = { count: 0, waiting: [] };
      this.#entered.set(namespace, entered);
    }
    entered.count++;
    try {
      const entry = await fromStore(this.#store.get(namespacePrefix + namespace));
      this.#admit(type, namespace, name, entry);
      return await work();
    } finally {
      entered.count--;
      if (entered.count === 0) {
        this.#entered.delete(namespace);
        for (const resolve of entered.waiting) resolve();
      }
    }
  }

  /**
   * Resolves when every creation that was let in before now has ended. Once a namespace is terminating no more are let
   * in, so what is listed after this is all there will ever be.
   */
  async settled(namespace: string): Promise<void> {
    const entered = this.#entered.get(namespace);
    if (entered !== undefined) await new Promise<void>((resolve) => entered.waiting.push(resolve));
  }

  #admit(type: ResourceType, namespace: string, name: string, entry: Entry | undefined): void {
    if (entry === undefined) {
      this.#known.delete(namespace);
      throw failures.notFound({ group: "", resource: "namespaces" }, namespace);
    }
    let known = this.#known.get(namespace);
    if (known?.revision !== entry.revision) {
      const { metadata, status } = JSON.parse(Buffer.from(entry.value).toString()) as KubeObject<
        unknown,
        { phase?: string }
      >;
      const terminating = Boolean(metadata.deletionTimestamp) || status?.phase === "Terminating";
      known = { revision: entry.revision, terminating };
      if (this.#known.size >= mostKnown) this.#known.clear();
      this.#known.set(namespace, known);
    }
    if (known.terminating) throw terminating(type, namespace, name);
  }
}

function terminating({ group, plural }: ResourceType, namespace: string, name: string): ApiError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = failures.forbidden({ group, resource: plural }, name, why);
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
