import {
  failures,
  isConflict,
  isNotFound,
  systemClock,
  systemRandom,
  type Clock,
  type Random,
} from "../../model/core.js";
import type { Store } from "../../store/index.js";
import type { ResourceType } from "../resources/resource-type.js";
import { ResourceTypes } from "../resources/resource-types.js";
import { type Answer, storedObject } from "../resources/stored-object.js";
import type { Context } from "./context.js";
import { keyOf, resourceOf } from "./keys.js";
import { Namespaces } from "./namespaces.js";
import { parseResourceVersion } from "./read/list-options.js";
import { list, reach } from "./read/listing.js";
import { watch } from "./read/watching.js";
import type {
  Body,
  Deleted,
  DeleteOptions,
  GetOptions,
  ListAnswer,
  ListOptions,
  ObjectEvent,
  Patch,
  Scope,
  Subresource,
  Target,
  WatchOptions,
  WriteOptions,
  Written,
} from "./requests.js";
import { asking } from "./store-failures.js";
import { applying } from "./write/applying.js";
import { create } from "./write/creating.js";
import { remove } from "./write/deleting.js";
import { patched } from "./write/patching.js";
import { patchScale, scaleOf, updateScale } from "./write/scale.js";
import { revising, update } from "./write/updating.js";

/** How many objects of a collection are deleted at the same time. */
const deletingAtOnce = 32;

export interface RegistryOptions {
  readonly store: Store;
  readonly types?: ResourceTypes;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * What every verb means, for every kind. It knows nothing of HTTP: the wire layer calls it, and so does whoever is in
 * the same process. All failures are ApiErrors.
 */
export class Registry {
  readonly types: ResourceTypes;
  readonly #context: Context;

  constructor({
    store,
    types = new ResourceTypes(),
    clock = systemClock,
    random = systemRandom,
  }: RegistryOptions) {
    this.types = types;
    this.#context = { store, types, clock, random, namespaces: new Namespaces(store) };
  }

  async get(type: ResourceType, target: Target, options: GetOptions = {}): Promise<Answer> {
    checkSubresource(type, target, options.subresource);
    if (options.resourceVersion) await reach(this.#context, parseResourceVersion(options.resourceVersion));
    const entry = await asking(this.#context.store.get(keyOf(type, target)));
    if (entry === undefined) throw failures.notFound(resourceOf(type), target.name);
    const answer = storedObject(type, entry);
    return options.subresource === "scale" ? scaleOf(type, answer.object) : answer;
  }

  list(type: ResourceType, scope: Scope, options: ListOptions = {}): Promise<ListAnswer> {
    return list(this.#context, type, scope, options);
  }

  /**
   * Batches of events, never empty. Throws a 410 Expired when the version asked for is too old. Ends quietly when its
   * time is up, the signal aborts, the reader is too slow, or the kind is no longer served as `type` says.
   */
  watch(type: ResourceType, scope: Scope, options: WatchOptions = {}): AsyncIterable<readonly ObjectEvent[]> {
    return watch(this.#context, type, scope, options);
  }

  async create(type: ResourceType, scope: Scope, body: Body, options: WriteOptions = {}): Promise<Answer> {
    return await create(this.#context, type, scope, body, options);
  }

  async update(type: ResourceType, target: Target, body: Body, options: WriteOptions = {}): Promise<Written> {
    checkSubresource(type, target, options.subresource);
    const write = options.subresource === "scale" ? updateScale : update;
    return await write(this.#context, type, target, body, options);
  }

  async patch(
    type: ResourceType,
    target: Target,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<Written> {
    checkSubresource(type, target, options.subresource);
    if (options.subresource === "scale") return patchScale(this.#context, type, target, patch, options);
    if (patch.type === "apply") return applying(this.#context, type, target, patch, options);
    return await revising(this.#context, type, target, options, {
      revise: (live) => patched(type, target, live, patch, options),
    });
  }

  delete(type: ResourceType, target: Target, options: DeleteOptions = {}): Promise<Deleted> {
    return remove(this.#context, type, target, options);
  }

  /** Deletes what a list with these options shows; what others delete meanwhile is no failure. */
  async deleteCollection(
    type: ResourceType,
    scope: Scope,
    options: ListOptions = {},
    deleteOptions: DeleteOptions = {},
  ): Promise<ListAnswer> {
    const answer = await this.list(type, scope, options);
    const items = answer.items.values();
    let failed = false;
    const work = async (): Promise<void> => {
      for (const { object } of items) {
        if (failed) return;
        try {
          await this.#deleteListed(type, object.metadata, deleteOptions);
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    };
    const workers = Array.from({ length: Math.min(deletingAtOnce, answer.items.length) }, work);
    // The answer comes when nothing is under way any more, whatever became of it.
    const outcomes = await Promise.allSettled(workers);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return answer;
  }

  /** Deletes an object that was listed, and not another one that has got its name since. */
  async #deleteListed(
    type: ResourceType,
    { name = "", namespace, uid }: Answer["object"]["metadata"],
    options: DeleteOptions,
  ): Promise<void> {
    const { preconditions } = options;
    try {
      await this.delete(type, { namespace, name }, { ...options, preconditions: preconditions ?? { uid } });
    } catch (error) {
      const replaced = preconditions === undefined && isConflict(error);
      if (!replaced && !isNotFound(error)) throw error;
    }
  }

  /** Resolves when no creation that was let into a namespace before now is still under way. */
  settled(namespace: string): Promise<void> {
    return this.#context.namespaces.settled(namespace);
  }
}

function checkSubresource(type: ResourceType, { name }: Target, subresource: Subresource | undefined): void {
  if (subresource === undefined || type.subresources[subresource] !== undefined) return;
  throw failures.notFound(resourceOf(type), name);
}
