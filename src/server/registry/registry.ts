import { failures, systemClock, systemRandom, type Clock, type Random } from "../../model/core.js";
import type { Store } from "../../store/index.js";
import { maxFieldsOf } from "../decode/decode-limits.js";
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
  DeleteCollectionResponse,
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
import { deleteCollection } from "./write/delete-collection.js";
import { deleteObject } from "./write/delete.js";
import { patch } from "./write/patch.js";
import { patchScale, scaleOf, updateScale } from "./write/scale.js";
import { update } from "./write/update.js";
import { WriteQueue } from "./write/write-queue.js";

export interface RegistryOptions {
  readonly store: Store;
  readonly types?: ResourceTypes;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Largest object in bytes, as it is stored: with its managedFields. Default: 1.5 MiB. */
  readonly maxObjectBytes?: number | undefined;
}

/** etcd's limit for a request, and thereby that of Kubernetes for an object: 1.5 MiB. */
const defaultMaxObjectBytes = 1_572_864;

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
    maxObjectBytes = defaultMaxObjectBytes,
  }: RegistryOptions) {
    this.types = types;
    const namespaces = new Namespaces(store);
    const writes = new WriteQueue(clock);
    this.#context = {
      store,
      types,
      clock,
      random,
      namespaces,
      objects: this.objects,
      writes,
      maxObjectBytes,
      maxObjectFields: maxFieldsOf(maxObjectBytes),
    };
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
  deleteCollection(request: ResourceRequest<DeleteCollectionOptions>): Promise<DeleteCollectionResponse> {
    return deleteCollection(this.#context, request);
  }

  /** Resolves when all creations in a namespace that are in progress now have ended. */
  settled(namespace: string): Promise<void> {
    return this.#context.namespaces.creationsSettled(namespace);
  }
}
