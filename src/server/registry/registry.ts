import { failures, systemClock, systemRandom, type Clock, type Random } from "../../model/core.js";
import type { Store } from "../../store/index.js";
import { ObjectCache } from "../resources/object-cache.js";
import { ResourceTypes } from "../resources/resource-types.js";
import type { ObjectResponse } from "../resources/stored-object.js";
import type { RegistryContext } from "./context.js";
import { keyOf, resourceOf } from "./keys.js";
import { Namespaces } from "./namespaces.js";
import { parseResourceVersion } from "./read/list-options.js";
import { checkReached, list } from "./read/listing.js";
import { watch } from "./read/watching.js";
import type {
  DeleteCollectionOptions,
  DeleteCollectionResponse,
  DeleteOptions,
  DeleteResponse,
  GetOptions,
  ListOptions,
  ListResponse,
  ObjectEvent,
  PatchRequest,
  ResourceRequest,
  ServerWatchOptions,
  WriteRequest,
  WriteResponse,
} from "./requests.js";
import { fromStore } from "./store-failures.js";
import { apply } from "./write/apply.js";
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
    };
  }

  async get(request: ResourceRequest<GetOptions>): Promise<ObjectResponse> {
    const { type, subresource, options } = request;
    if (options.resourceVersion) {
      await checkReached(this.#context, parseResourceVersion(options.resourceVersion));
    }
    const entry = await fromStore(this.#context.store.get(keyOf(type, request)));
    if (entry === undefined) throw failures.notFound(resourceOf(type), request.name);
    const response = this.objects.get(type, entry);
    return subresource === "scale" ? scaleOf(type, response.object) : response;
  }

  list(request: ResourceRequest<ListOptions>): Promise<ListResponse> {
    return list(this.#context, request);
  }

  /**
   * Batches of events, never empty. Throws a 410 Expired when the requested version is too old. Ends without an error when its
   * time is up, the signal aborts, the reader is too slow, or the kind is no longer served as `type` says.
   */
  watch(request: ResourceRequest<ServerWatchOptions>): AsyncIterable<readonly ObjectEvent[]> {
    return watch(this.#context, request);
  }

  async create(request: WriteRequest): Promise<WriteResponse> {
    return { object: await create(this.#context, request), created: true };
  }

  async update(request: WriteRequest): Promise<WriteResponse> {
    return request.subresource === "scale"
      ? updateScale(this.#context, request)
      : update(this.#context, request);
  }

  async patch(request: PatchRequest): Promise<WriteResponse> {
    if (request.subresource === "scale") return patchScale(this.#context, request);
    return request.patchType === "apply" ? apply(this.#context, request) : patch(this.#context, request);
  }

  delete(request: ResourceRequest<DeleteOptions>): Promise<DeleteResponse> {
    return deleteObject(this.#context, request);
  }

  /** Deletes the objects that a list with these options contains. Objects that others delete meanwhile are no failure. */
  deleteCollection(request: ResourceRequest<DeleteCollectionOptions>): Promise<DeleteCollectionResponse> {
    return deleteCollection(this.#context, request);
  }

  /** Resolves when no create that was admitted into a namespace before now is still under way. */
  settled(namespace: string): Promise<void> {
    return this.#context.namespaces.creationsSettled(namespace);
  }
}
