import {
  asApiError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  systemClock,
  systemRandom,
  type Clock,
  type Json,
  type KubeObject,
  type Random,
} from "../model/core.js";
import { jsonEqual } from "../model/patch/json-equal.js";
import type { ApplyOptions, Client, Manifest, PatchOptions, Where } from "./client.js";
import { bodyOf, namedBodyOf, readArguments, withOrigin, type Sent } from "./draft.js";
import type { AnyKind, DraftOf, KindInfo, ObjectFor, UntypedObject } from "./kinds/kind.js";
import { KnownKinds } from "./kinds/known-kinds.js";
import { eachOf, listAll, type AskPage } from "./paging.js";
import { retryOnConflict } from "./retry.js";
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Patch,
  Subresource,
  Target,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./transport/transport.js";
import { scopeOf, targetOf, type Which } from "./which.js";

export interface ClientOptions {
  /** How the API is reached. Closing the client closes it. */
  readonly transport: Transport;
  /** Where objects are that do not say their namespace. */
  readonly namespace?: string | undefined;
  /** Who written fields belong to, unless a call says otherwise. */
  readonly fieldManager?: string | undefined;
  /** Is told what the server warns of, unless a call says otherwise. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** For the waits between attempts. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/**
 * A client for an API, wherever it is.
 *
 * @example
 * await using client = createClient({ transport: httpTransport({ connection }), namespace: "demo" });
 * const site = await client.get(Site, "hello");
 */
export function createClient(options: ClientOptions): Client {
  return new TransportClient(options);
}

class TransportClient implements Client {
  readonly namespace: string;
  readonly transport: Transport;
  readonly #kinds: KnownKinds;
  readonly #defaults: Pick<WriteOptions, "fieldManager" | "onWarning">;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: ClientOptions) {
    const { transport, namespace = "default", fieldManager = "fettle", onWarning } = options;
    const { clock = systemClock, random = systemRandom } = options;
    this.transport = transport;
    this.namespace = namespace;
    this.#kinds = new KnownKinds(transport);
    this.#defaults = { fieldManager, ...(onWarning && { onWarning }) };
    this.#clock = clock;
    this.#random = random;
  }

  kind(kind: AnyKind, options?: CallOptions): Promise<KindInfo> {
    return this.#kinds.find(kind, options);
  }

  get<K extends AnyKind>(kind: K, which: Which, options?: GetOptions): Promise<ObjectFor<K>> {
    return this.#ask(kind, options, (info) => this.transport.get(info, this.#target(info, which), options));
  }

  async find<K extends AnyKind>(
    kind: K,
    which: Which,
    options?: GetOptions,
  ): Promise<ObjectFor<K> | undefined> {
    try {
      return await this.get(kind, which, options);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  list<K extends AnyKind>(kind: K, options: Where & ListOptions = {}): Promise<Page<ObjectFor<K>>> {
    const ask = this.#asksPages(kind, options);
    const { namespace: _, ...rest } = options;
    const listing = rest.limit === undefined ? listAll(ask, rest) : ask(rest);
    return listing as Promise<Page<ObjectFor<K>>>;
  }

  each<K extends AnyKind>(kind: K, options: Where & ListOptions = {}): AsyncIterable<ObjectFor<K>> {
    const { namespace: _, ...rest } = options;
    return eachOf(this.#asksPages(kind, options), rest) as AsyncIterable<unknown> as AsyncIterable<
      ObjectFor<K>
    >;
  }

  async *watch<K extends AnyKind>(
    kind: K,
    options: Where & WatchOptions = {},
  ): AsyncGenerator<WatchEvent<ObjectFor<K>>, void, undefined> {
    const { namespace, ...rest } = options;
    let info: KindInfo | undefined;
    for (;;) {
      try {
        info ??= await this.#kinds.find(kind, rest);
        for await (const events of this.transport.watch(info, scopeOf(info, namespace), rest)) {
          yield* events as readonly WatchEvent<ObjectFor<K>>[];
        }
        return;
      } catch (error) {
        if (rest.signal?.aborted) return;
        if (info === undefined || !isUnserved(error)) throw error;
        info = await this.#kinds.reconsider(kind, info, error, rest);
      }
    }
  }

  create<K extends AnyKind>(kind: K, draft: DraftOf<K>, options?: WriteOptions): Promise<ObjectFor<K>>;
  create(manifest: Manifest, options?: WriteOptions): Promise<UntypedObject>;
  async create(first: AnyKind, second?: unknown, third?: WriteOptions): Promise<unknown> {
    const { kind, sent, options } = readArguments<WriteOptions>("create", first, second, third);
    return await this.#ask(kind, options, (info) => {
      const body = bodyOf(info, sent);
      const scope = scopeOf(info, body.metadata.namespace || this.namespace);
      return this.transport.create(info, scope, body, this.#writing(options));
    });
  }

  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T> {
    return this.#update(object, options);
  }

  patch<K extends AnyKind>(
    kind: K,
    which: Which,
    patch: unknown,
    options: PatchOptions = {},
  ): Promise<ObjectFor<K>> {
    const { type = Array.isArray(patch) ? "json" : "merge", ...rest } = options;
    return this.#patch(kind, which, { type, body: patch }, rest);
  }

  apply<K extends AnyKind>(kind: K, draft: DraftOf<K>, options?: ApplyOptions): Promise<ObjectFor<K>>;
  apply(manifest: Manifest, options?: ApplyOptions): Promise<UntypedObject>;
  async apply(first: AnyKind, second?: unknown, third?: ApplyOptions): Promise<unknown> {
    const { kind, sent, options } = readArguments<ApplyOptions>("apply", first, second, third);
    return this.#apply(kind, sent, options);
  }

  async delete<K extends AnyKind>(
    kind: K,
    which: Which,
    options?: DeleteOptions,
  ): Promise<ObjectFor<K> | undefined> {
    try {
      return await this.#ask(kind, options, (info) =>
        this.transport.delete(info, this.#target(info, which), options),
      );
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  deleteAll(kind: AnyKind, where: Where = {}, options: DeleteOptions = {}): Promise<void> {
    const { namespace: _, ...selection } = where;
    return this.#ask(kind, options, async (info) => {
      const { signal, timeout } = options;
      for (const scope of await this.#scopes(info, where, { signal, timeout })) {
        await this.transport.deleteCollection(info, scope, selection, options);
      }
    });
  }

  updateStatus<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T> {
    return this.#update(object, { ...options, subresource: "status" });
  }

  patchStatus<K extends AnyKind>(
    kind: K,
    which: Which,
    patch: unknown,
    options?: PatchOptions,
  ): Promise<ObjectFor<K>> {
    return this.patch(kind, which, patch, { ...options, subresource: "status" });
  }

  applyStatus<K extends AnyKind>(
    kind: K,
    draft: { readonly metadata: KubeObject["metadata"]; readonly status: ObjectFor<K>["status"] },
    options?: ApplyOptions,
  ): Promise<ObjectFor<K>> {
    return this.#apply(kind, { ...draft }, { ...options, subresource: "status" });
  }

  async scale(kind: AnyKind, which: Which, replicas?: number, options?: WriteOptions): Promise<number> {
    const subresource: Subresource = "scale";
    const scale = await this.#ask<KubeObject, KubeObject>(kind, options, (info) => {
      const target = this.#target(info, which);
      if (replicas === undefined) {
        const { signal, timeout } = options ?? {};
        return this.transport.get(info, target, { subresource, signal, timeout });
      }
      const patch: Patch = { type: "merge", body: { spec: { replicas } } };
      return this.transport.patch(info, target, patch, this.#writing({ ...options, subresource }));
    });
    return (scale.spec as { readonly replicas?: number } | undefined)?.replicas ?? 0;
  }

  async modify<K extends AnyKind>(
    kind: K,
    which: Which,
    change: NoInfer<(object: ObjectFor<K>) => DraftOf<K>>,
    options: WriteOptions = {},
  ): Promise<ObjectFor<K>> {
    return this.#retrying(options, isConflict, async () => {
      const live = await this.get(kind, which, readingOf(options));
      return this.#replace(kind, live, change(live), options);
    });
  }

  async createOrUpdate<K extends AnyKind>(
    kind: K,
    which: Which,
    change: NoInfer<(object: ObjectFor<K> | undefined) => DraftOf<K>>,
    options: WriteOptions = {},
  ): Promise<{ readonly object: ObjectFor<K>; readonly outcome: "created" | "updated" | "unchanged" }> {
    let live: ObjectFor<K> | undefined;
    // What was there may be gone by the time it is written, and the other way round.
    const outdated = (error: unknown): boolean =>
      isConflict(error) || isAlreadyExists(error) || (live !== undefined && isAbsent(error));
    return this.#retrying(options, outdated, async () => {
      live = await this.find(kind, which, readingOf(options));
      const next = change(live) as Sent;
      if (live === undefined) {
        const object = await this.#ask<KubeObject, ObjectFor<K>>(kind, options, (info) => {
          const { name, ...scope } = this.#target(info, which);
          const body = namedBodyOf(info, { ...scope, name }, next);
          return this.transport.create(info, scope, body, this.#writing(options));
        });
        return { object, outcome: "created" };
      }
      const object = await this.#replace(kind, live, next, options);
      return { object, outcome: object === live ? "unchanged" : "updated" };
    });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.transport[Symbol.asyncDispose]();
  }

  /** Writes what has become of an object; the object itself when that is nothing new. */
  async #replace<T extends KubeObject>(
    kind: AnyKind,
    live: T,
    next: Sent,
    options: WriteOptions,
  ): Promise<T> {
    return this.#ask(kind, options, async (info) => {
      if (next === (live as unknown)) return live;
      const target = this.#target(info, live);
      const body = withOrigin(namedBodyOf(info, target, next), live);
      if (jsonEqual(body as unknown as Json, live as unknown as Json)) return live;
      const written = await this.transport.update(info, target, body, this.#writing(options));
      // The server, too, may find that there is nothing new.
      const same = written.metadata.resourceVersion === live.metadata.resourceVersion && !options.dryRun;
      return same ? live : written;
    });
  }

  async #update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T> {
    const { apiVersion, kind, metadata } = object;
    if (!metadata?.name) {
      throw new TypeError(
        `update: the ${kind} has no metadata.name; what has none yet is created, and what was read has one`,
      );
    }
    return this.#ask({ apiVersion, kind }, options, (info) =>
      this.transport.update(info, this.#target(info, object), object, this.#writing(options)),
    );
  }

  #apply<T extends KubeObject>(kind: AnyKind, sent: Sent, options: ApplyOptions = {}): Promise<T> {
    const { force, ...rest } = options;
    return this.#ask(kind, rest, (info) => {
      const body = bodyOf(info, sent);
      const patch: Patch = { type: "apply", body, ...(force !== undefined && { force }) };
      return this.transport.patch(info, this.#target(info, body), patch, this.#writing(rest));
    });
  }

  #patch<T extends KubeObject>(kind: AnyKind, which: Which, patch: Patch, options: WriteOptions): Promise<T> {
    return this.#ask(kind, options, (info) =>
      this.transport.patch(info, this.#target(info, which), patch, this.#writing(options)),
    );
  }

  /**
   * Asks the transport about a kind. Results are what the caller knows to be of that kind; that is taken on trust, as
   * everything is that a server sends.
   */
  async #ask<Answer, Result extends Answer>(
    kind: AnyKind,
    options: CallOptions | undefined,
    call: (info: KindInfo) => Promise<Answer>,
  ): Promise<Result> {
    const info = this.#kinds.known(kind) ?? (await this.#kinds.find(kind, options));
    try {
      return (await call(info)) as Result;
    } catch (error) {
      if (!isUnserved(error)) throw error;
      const other = await this.#kinds.reconsider(kind, info, error, options);
      return (await call(other)) as Result;
    }
  }

  #asksPages(kind: AnyKind, { namespace }: Where): AskPage {
    return (options) =>
      this.#ask(kind, options, (info) => this.transport.list(info, scopeOf(info, namespace), options));
  }

  /** Collections are deleted one namespace at a time: there is no request for all of them. */
  async #scopes(
    info: KindInfo,
    where: Where,
    options: CallOptions,
  ): Promise<readonly { namespace?: string }[]> {
    const { namespace, ...selection } = where;
    if (namespace || info.scope === "Cluster") return [scopeOf(info, namespace)];
    const ask: AskPage = (asked) => this.transport.list(info, {}, asked);
    const namespaces = new Set<string>();
    for await (const { metadata } of eachOf(ask, { ...options, ...selection, metadataOnly: true })) {
      if (metadata.namespace) namespaces.add(metadata.namespace);
    }
    return Array.from(namespaces, (namespace) => ({ namespace }));
  }

  #retrying<Result>(
    { signal }: CallOptions,
    retry: (error: unknown) => boolean,
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    return retryOnConflict(attempt, { signal, retry, clock: this.#clock, random: this.#random });
  }

  #target(info: KindInfo, which: Which): Target {
    return targetOf(info, which, this.namespace);
  }

  #writing(options: WriteOptions | undefined): WriteOptions {
    const { fieldManager, onWarning } = this.#defaults;
    if (options === undefined) return this.#defaults;
    return Object.assign({}, options, {
      fieldManager: options.fieldManager ?? fieldManager,
      onWarning: options.onWarning ?? onWarning,
    });
  }
}

/** The object is not there, though its kind is. */
function isAbsent(error: unknown): boolean {
  return isNotFound(error) && Boolean(asApiError(error)?.status.details?.name);
}

/** There is no such kind at this address; the address may be what is wrong. */
function isUnserved(error: unknown): boolean {
  return isNotFound(error) && !asApiError(error)?.status.details?.name;
}

function readingOf({ signal, timeout, subresource }: WriteOptions): GetOptions {
  return { signal, timeout, subresource };
}
