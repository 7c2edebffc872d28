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
import { ObjectCache } from "../resources/object-cache.js";
import { ResourceTypes } from "../resources/resource-types.js";
import type { ObjectResponse } from "../resources/stored-object.js";
import type { RegistryContext } from "./context.js";
import { storeKey, resourceOf } from "./keys.js";
import { Namespaces } from "./namespaces.js";
import { bind } from "./pods/binding.js";
import { refuseConnection } from "./pods/connect.js";
import { evict } from "./pods/eviction.js";
import { parseResourceVersion } from "./read/list-options.js";
import { checkReached, list } from "./read/listing.js";
import { watchObjects } from "./read/watching.js";
import type {
  DeleteCollectionOptions,
  ServerDeleteOptions,
  DeleteResponse,
  ServerGetOptions,
  ServerListOptions,
  ListResponse,
  ObjectEvent,
  PatchRequest,
  ResourceRequest,
  ServerWatchOptions,
  WriteRequest,
  WriteResponse,
} from "./requests.js";
import { fromStore } from "./store-failures.js";
import { applyObject } from "./write/apply.js";
import { answer } from "./write/answer.js";
import { create } from "./write/create.js";
import { deleteObject } from "./write/delete.js";
import { patch } from "./write/patch.js";
import { patchScale, scaleOf, updateScale } from "./write/scale.js";
import { update } from "./write/update.js";

/** Objects of a collection that are deleted concurrently. */
const deleteConcurrency = 32;

export interface RegistryOptions {
  readonly store: Store;
  readonly types?: ResourceTypes;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Rules of every verb, for every kind. Requests come from the request pipeline, which has resolved and authorized them. All failures
 * are ApiErrors.
 */
export class Registry {
  readonly types: ResourceTypes;
  readonly objects = new ObjectCache();
  readonly #context: RegistryContext;

  constructor({
    store,
    types = new ResourceTypes(),
    clock = systemClock,
    random = systemRandom,
  }: RegistryOptions) {
    this.types = types;
    const namespaces = new Namespaces(store);
    this.#context = { store, types, clock, random, namespaces, objects: this.objects };
  }

  async get(request: ResourceRequest<ServerGetOptions>): Promise<ObjectResponse> {
    const { type, subresource, options } = request;
    if (options.resourceVersion) {
      await checkReached(this.#context, parseResourceVersion(options.resourceVersion));
    }
    const entry = await fromStore(this.#context.store.get(storeKey(type, request)));
    if (entry === undefined) throw failures.notFound(resourceOf(type), request.name);
    const response = this.objects.get(type, entry);
    return subresource === "scale" ? scaleOf(type, response.object) : response;
  }

  list(request: ResourceRequest<ServerListOptions>): Promise<ListResponse> {
    return list(this.#context, request);
  }

  /**
   * Batches of events, never empty. Throws a 410 Expired when the requested version is too old. Ends without an error at its
   * timeout, and when the signal aborts, the reader is too slow, or the kind changes or is removed.
   */
  watch(request: ResourceRequest<ServerWatchOptions>): AsyncIterable<readonly ObjectEvent[]> {
    return watchObjects(this.#context, request);
  }

  async create(request: WriteRequest): Promise<WriteResponse> {
    if (request.subresource !== undefined) return this.#act(request);
    const work = request.type.answer === undefined ? create : answer;
    return { object: await work(this.#context, request), created: true };
  }

  /** Does what a create below the path of an object asks for. */
  async #act(request: WriteRequest): Promise<WriteResponse> {
    return request.subresource === "eviction" ? evict(this.#context, request) : bind(this.#context, request);
  }

  /** Connects to a running pod, of which there are none: always throws. */
  connect(request: ResourceRequest<unknown>): Promise<never> {
    return refuseConnection(this.#context, request);
  }

  async update(request: WriteRequest): Promise<WriteResponse> {
    return request.subresource === "scale"
      ? updateScale(this.#context, request)
      : update(this.#context, request);
  }

  async patch(request: PatchRequest): Promise<WriteResponse> {
    if (request.subresource === "scale") return patchScale(this.#context, request);
    return request.patchType === "apply"
      ? applyObject(this.#context, request)
      : patch(this.#context, request);
  }

  delete(request: ResourceRequest<ServerDeleteOptions>): Promise<DeleteResponse> {
    return deleteObject(this.#context, request);
  }

  /** Deletes the objects that a list with these options contains. Skips objects that another request deletes meanwhile. */
  async deleteCollection(request: ResourceRequest<DeleteCollectionOptions>): Promise<ListResponse> {
    const { selection, deletion } = request.options;
    const response = await this.list({ ...request, options: selection });
    const items = response.items.values();
    let failed = false;
    const work = async (): Promise<void> => {
      for (const { object } of items) {
        if (failed) return;
        try {
          await this.#deleteListed({ ...request, options: deletion }, object.metadata);
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    };
    const workers = Array.from({ length: Math.min(deleteConcurrency, response.items.length) }, work);
    // Wait for all deletes before responding, also after a failure.
    const outcomes = await Promise.allSettled(workers);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return response;
  }

  /** Deletes a listed object, but not a new one with the same name. */
  async #deleteListed(
    request: ResourceRequest<ServerDeleteOptions>,
    { name = "", namespace, uid }: ObjectResponse["object"]["metadata"],
  ): Promise<void> {
    const { preconditions } = request.options;
    const options = { ...request.options, preconditions: preconditions ?? { uid } };
    try {
      await this.delete({ ...request, namespace, name, options });
    } catch (error) {
      const isReplaced = preconditions === undefined && isConflict(error);
      if (!isReplaced && !isNotFound(error)) throw error;
    }
  }

  /** Resolves when all creations in a namespace that are in progress now have ended. */
  settled(namespace: string): Promise<void> {
    return this.#context.namespaces.creationsSettled(namespace);
  }
}
