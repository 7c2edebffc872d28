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
import { jsonEqual } from "../model/object/json.js";
import type {
  ApplyOptions,
  Client,
  Manifest,
  ModifyOptions,
  PatchOptions,
  StrategicPatchOptions,
  Where,
} from "./client.js";
import { deleteAll } from "./delete-all.js";
import { bodyOf, namedBodyOf, readArguments, withOrigin, type Sent } from "./draft.js";
import type {
  AnyKind,
  DraftOf,
  KindInfo,
  ObjectOf,
  PartialDraftOf,
  PartialStatusDraftOf,
  StatusDraftOf,
  UntypedObject,
} from "./kinds/kind.js";
import { KindResolver } from "./kind-resolver.js";
import { eachOf, listAll, type PageRequest } from "./transport/paging.js";
import { retryOnConflict } from "./retry.js";
import { timeLeft } from "./async/time-left.js";
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Patch,
  Subresource,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./transport/transport.js";
import type { ObjectKey } from "../model/object/object-key.js";
import { namespaceScope, targetOf, type ObjectRef } from "./object-ref.js";

export interface ClientOptions {
  /** Transport to the API; closed with the client. */
  readonly transport: Transport;
  /** Default namespace. Default: the transport's, then `default`. */
  readonly namespace?: string | undefined;
  /** Default field manager of writes. Default: `fettle`. */
  readonly fieldManager?: string | undefined;
  /** Default listener for warnings of the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Clock for retries and timeouts. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/**
 * Creates a client for the API behind a transport.
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
  readonly #kinds: KindResolver;
  readonly #defaults: Pick<WriteOptions, "fieldManager" | "onWarning">;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: ClientOptions) {
    const {
      transport,
      namespace = transport.namespace ?? "default",
      fieldManager = "fettle",
      onWarning,
    } = options;
    const { clock = systemClock, random = systemRandom } = options;
    this.transport = transport;
    this.namespace = namespace;
    this.#kinds = new KindResolver(transport, clock);
    this.#defaults = { fieldManager, ...(onWarning && { onWarning }) };
    this.#clock = clock;
    this.#random = random;
  }

  kind(kind: AnyKind, options?: CallOptions): Promise<KindInfo> {
    return this.#kinds.find(kind, options);
  }

  get<K extends AnyKind>(kind: K, which: ObjectRef, options?: GetOptions): Promise<ObjectOf<K>> {
    return this.#ask(kind, options, (info, left) =>
      this.transport.get(info, this.#target(info, which), left()),
    );
  }

  async find<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    options?: GetOptions,
  ): Promise<ObjectOf<K> | undefined> {
    try {
      return await this.get(kind, which, options);
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  list<K extends AnyKind>(kind: K, options: Where & ListOptions = {}): Promise<Page<ObjectOf<K>>> {
    const { namespace, ...rest } = options;
    const ask = this.#asksPages(kind, namespace);
    const left = timeLeft(this.#clock, rest);
    const listing =
      rest.limit === undefined
        ? listAll((asked) => ask({ ...asked, timeout: left().timeout }), rest)
        : ask(rest);
    return listing as Promise<Page<ObjectOf<K>>>;
  }

  each<K extends AnyKind>(kind: K, options: Where & ListOptions = {}): AsyncIterable<ObjectOf<K>> {
    const { namespace, ...rest } = options;
    const each: AsyncIterable<unknown> = eachOf(this.#asksPages(kind, namespace), rest);
    return each as AsyncIterable<ObjectOf<K>>;
  }

  async *watch<K extends AnyKind>(
    kind: K,
    options: Where & WatchOptions = {},
  ): AsyncGenerator<WatchEvent<ObjectOf<K>>, void, undefined> {
    const { namespace, ...rest } = options;
    let info: KindInfo | undefined;
    for (;;) {
      try {
        info ??= await this.#kinds.find(kind, rest);
        for await (const events of this.transport.watch(info, namespaceScope(info, namespace), rest)) {
          yield* events as readonly WatchEvent<ObjectOf<K>>[];
        }
        return;
      } catch (error) {
        if (rest.signal?.aborted) return;
        if (info === undefined || !isMissingKind(error)) throw error;
        info = await this.#kinds.reconsider(kind, info, error, rest);
      }
    }
  }

  create(manifest: Manifest, options?: WriteOptions): Promise<UntypedObject>;
  create<K extends AnyKind>(kind: K, draft: DraftOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  async create(first: AnyKind, second?: unknown, third?: WriteOptions): Promise<unknown> {
    const { kind, sent, options } = readArguments<WriteOptions>("create", first, second, third);
    return await this.#ask(kind, options, (info, left) => {
      const body = bodyOf(info, sent);
      const scope = namespaceScope(info, body.metadata.namespace || this.namespace);
      return this.transport.create(info, scope, body, this.#writing(left()));
    });
  }

  update<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  update<K extends AnyKind>(kind: K, object: DraftOf<K>, options?: WriteOptions): Promise<ObjectOf<K>>;
  async update(first: AnyKind, second?: unknown, third?: WriteOptions): Promise<unknown> {
    const { kind, sent, options } = readArguments<WriteOptions>("update", first, second, third);
    return await this.#update(kind, sent, options);
  }

  patch<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    patch: unknown,
    options: PatchOptions | StrategicPatchOptions = {},
  ): Promise<ObjectOf<K>> {
    const { type = Array.isArray(patch) ? "json" : "merge", ...rest } = options;
    return this.#ask(kind, rest, (info, left) =>
      this.transport.patch(info, this.#target(info, which), { type, body: patch }, this.#writing(left())),
    );
  }

  apply(manifest: Manifest, options?: ApplyOptions): Promise<UntypedObject>;
  apply<K extends AnyKind>(kind: K, draft: PartialDraftOf<K>, options?: ApplyOptions): Promise<ObjectOf<K>>;
  async apply(first: AnyKind, second?: unknown, third?: ApplyOptions): Promise<unknown> {
    const { kind, sent, options } = readArguments<ApplyOptions>("apply", first, second, third);
    return this.#apply(kind, sent, options);
  }

  async delete<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    options?: DeleteOptions,
  ): Promise<ObjectOf<K> | undefined> {
    try {
      return await this.#ask(kind, options, (info, left) =>
        this.transport.delete(info, this.#target(info, which), left()),
      );
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  deleteAll(kind: AnyKind, where: Where = {}, options: DeleteOptions = {}): Promise<void> {
    return this.#ask(kind, options, (info, left) => deleteAll(this.transport, info, where, left));
  }

  updateStatus<T extends KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  updateStatus<K extends AnyKind>(
    kind: K,
    object: StatusDraftOf<K>,
    options?: WriteOptions,
  ): Promise<ObjectOf<K>>;
  async updateStatus(first: AnyKind, second?: unknown, third?: WriteOptions): Promise<unknown> {
    const { kind, sent, options } = readArguments<WriteOptions>("updateStatus", first, second, third);
    return await this.#update(kind, sent, { ...options, subresource: "status" });
  }

  patchStatus<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    patch: unknown,
    options?: PatchOptions | StrategicPatchOptions,
  ): Promise<ObjectOf<K>> {
    return this.patch(kind, which, patch, { ...options, subresource: "status" });
  }

  applyStatus<K extends AnyKind>(
    kind: K,
    draft: PartialStatusDraftOf<K>,
    options?: ApplyOptions,
  ): Promise<ObjectOf<K>> {
    return this.#apply(kind, { ...draft }, { ...options, subresource: "status" });
  }

  async scale(kind: AnyKind, which: ObjectRef, replicas?: number, options?: WriteOptions): Promise<number> {
    const subresource: Subresource = "scale";
    const scale = await this.#ask<KubeObject, KubeObject, typeof options>(kind, options, (info, left) => {
      const target = this.#target(info, which);
      if (replicas === undefined) {
        return this.transport.get(info, target, readingOf({ ...left(), subresource }));
      }
      const patch: Patch = { type: "merge", body: { spec: { replicas } } };
      return this.transport.patch(info, target, patch, this.#writing({ ...left(), subresource }));
    });
    return (scale.spec as { readonly replicas?: number } | undefined)?.replicas ?? 0;
  }

  async modify<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    change: NoInfer<(object: ObjectOf<K>) => DraftOf<K>>,
    options: ModifyOptions = {},
  ): Promise<ObjectOf<K>> {
    return this.#retrying(options, isConflict, async (left) => {
      const live = await this.get(kind, which, readingOf(left()));
      return this.#replace(kind, live, change(live), left());
    });
  }

  async createOrUpdate<K extends AnyKind>(
    kind: K,
    which: ObjectRef,
    change: NoInfer<(object: ObjectOf<K> | undefined) => DraftOf<K>>,
    options: ModifyOptions = {},
  ): Promise<{ readonly object: ObjectOf<K>; readonly outcome: "created" | "updated" | "unchanged" }> {
    let live: ObjectOf<K> | undefined;
    // The object may be created or deleted between the read and the write.
    const outdated = (error: unknown): boolean =>
      isConflict(error) || isAlreadyExists(error) || (live !== undefined && isMissingObject(error));
    return this.#retrying(options, outdated, async (left) => {
      live = await this.find(kind, which, readingOf(left()));
      const next = change(live) as Sent;
      if (live === undefined) {
        const object = await this.#createAs<ObjectOf<K>>(kind, which, next, left());
        return { object, outcome: "created" };
      }
      const object = await this.#replace(kind, live, next, left());
      return { object, outcome: object === live ? "unchanged" : "updated" };
    });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.transport[Symbol.asyncDispose]();
  }

  #createAs<T extends KubeObject>(
    kind: AnyKind,
    which: ObjectRef,
    sent: Sent,
    options: WriteOptions,
  ): Promise<T> {
    return this.#ask(kind, options, (info, left) => {
      const { name, ...scope } = this.#target(info, which);
      const body = namedBodyOf(info, { ...scope, name }, sent);
      return this.transport.create(info, scope, body, this.#writing(left()));
    });
  }

  /** Writes a changed object; returns the old one when nothing changed. */
  async #replace<T extends KubeObject>(
    kind: AnyKind,
    live: T,
    next: Sent,
    options: WriteOptions,
  ): Promise<T> {
    return this.#ask(kind, options, async (info, left) => {
      if (next === (live as unknown)) return live;
      const target = this.#target(info, live);
      const body = withOrigin(namedBodyOf(info, target, next), live);
      if (jsonEqual(body as unknown as Json, live as unknown as Json)) return live;
      const written = await this.transport.update(info, target, body, this.#writing(left()));
      // The server may find no change either.
      const same = written.metadata.resourceVersion === live.metadata.resourceVersion && !options.dryRun;
      return same ? live : written;
    });
  }

  async #update<T extends KubeObject>(kind: AnyKind, sent: Sent, options?: WriteOptions): Promise<T> {
    if (!sent.metadata?.name) {
      throw new TypeError(
        `update: the ${sent.kind ?? "object"} has no metadata.name; use create() for a new object, and the object from the server for an update`,
      );
    }
    return this.#ask(kind, options, (info, left) => {
      const body = bodyOf(info, sent);
      return this.transport.update(info, this.#target(info, body), body, this.#writing(left()));
    });
  }

  #apply<T extends KubeObject>(kind: AnyKind, sent: Sent, options: ApplyOptions = {}): Promise<T> {
    const { force, ...rest } = options;
    return this.#ask(kind, rest, (info, left) => {
      const body = bodyOf(info, sent);
      const patch: Patch = { type: "apply", body, ...(force !== undefined && { force }) };
      return this.transport.patch(info, this.#target(info, body), patch, this.#writing(left()));
    });
  }

  /**
   * Resolves a kind and calls the transport; resolves it once more if the server does not serve it as expected. `left`
   * returns the options of each request. The result is not checked against the type of the kind.
   */
  async #ask<Answer, Result extends Answer, Options extends CallOptions | undefined>(
    kind: AnyKind,
    options: Options,
    call: (info: KindInfo, left: () => Options) => Promise<Answer>,
  ): Promise<Result> {
    const left = timeLeft(this.#clock, options);
    const info = this.#kinds.cached(kind) ?? (await this.#kinds.find(kind, left()));
    try {
      return (await call(info, left)) as Result;
    } catch (error) {
      if (!isMissingKind(error)) throw error;
      const other = await this.#kinds.reconsider(kind, info, error, left());
      return (await call(other, left)) as Result;
    }
  }

  #asksPages(kind: AnyKind, namespace: string | undefined): PageRequest {
    return (options) =>
      this.#ask(kind, options, (info, left) =>
        this.transport.list(info, namespaceScope(info, namespace), left()),
      );
  }

  /** Retries on conflict within the timeout of the call. */
  #retrying<Options extends CallOptions, Result>(
    options: Options,
    retry: (error: unknown) => boolean,
    attempt: (left: () => Options) => Promise<Result>,
  ): Promise<Result> {
    const { signal, timeout } = options;
    const left = timeLeft(this.#clock, options);
    const waiting = { signal, timeout, retry, clock: this.#clock, random: this.#random };
    return retryOnConflict(() => attempt(left), waiting);
  }

  #target(info: KindInfo, which: ObjectRef): ObjectKey {
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

function readingOf({ signal, timeout, subresource }: WriteOptions): GetOptions {
  return { signal, timeout, subresource };
}

/** A 404 for the object: its kind is served. */
function isMissingObject(error: unknown): boolean {
  return isNotFound(error) && Boolean(asApiError(error)?.status.details?.name);
}

/** A 404 for the path of the kind: it is not served, or under another plural or scope. */
function isMissingKind(error: unknown): boolean {
  return isNotFound(error) && !asApiError(error)?.status.details?.name;
}
