import type { KindInfo } from "../client/kinds/kind.js";
import { onAbort } from "../client/async/on-abort.js";
import { callListener } from "../client/async/call-listener.js";
import { groupVersionOf, requestScope } from "../client/transport/address.js";
import {
  ConnectionError,
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type Page,
  type Patch,
  type Selection,
  type Transport,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from "../client/transport/transport.js";
import type { ObjectKey, Scope } from "../model/object/object-key.js";
import {
  ApiError,
  duration,
  failures,
  fromStatus,
  systemClock,
  type Clock,
  type Duration,
  type KubeObject,
} from "../model/core.js";
import { internal } from "../model/errors/api-error.js";
import { Deadlines, type Expiring } from "../model/time/deadlines.js";
import {
  PageNotFound,
  serviceIdentity,
  ValueBody,
  type Api,
  type ApiRequest,
  type ObjectResponse,
  type RequestPipeline,
  type RequestWriteOptions,
  type User,
  type Verb,
} from "../server/index.js";

export interface InProcessOptions {
  /** Identity of the caller. Default: `system:fettle:plane`. */
  readonly user?: User | undefined;
  /** Field manager of writes that name none. Default: `fettle`. */
  readonly fieldManager?: string;
  /** Default timeout of a call, after which it fails with a 504 Timeout. Default: 30s. */
  readonly timeout?: Duration;
  readonly clock?: Clock;
}

/**
 * Transport to an API in this process: the same requests as over HTTP, without encoding them. Objects that are read are shared and
 * frozen; objects that are written are copied, so that the caller may change them afterwards. Closing the transport ends its watches; the
 * API keeps running.
 *
 * @example
 * await using api = await startApi({ store });
 * await using client = createClient({ transport: inProcess(api) });
 */
export function inProcess(api: Pick<Api, "pipeline">, options: InProcessOptions = {}): Transport {
  return new InProcessTransport(api.pipeline, options);
}

const defaultUser = serviceIdentity("system:fettle:plane");

interface Call extends Expiring {
  readonly fail: (error: unknown) => void;
}

type RequestParts<V extends Verb> = Pick<
  ApiRequest<V>,
  "options" | "subresource" | "body" | "signal" | "warn"
>;

class InProcessTransport implements Transport {
  readonly #pipeline: RequestPipeline;
  readonly #user: User;
  readonly #fieldManager: string;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines<Call>;
  readonly #watches = new Set<AbortController>();
  #closed = false;

  constructor(pipeline: RequestPipeline, options: InProcessOptions) {
    const { user = defaultUser, fieldManager = "fettle", timeout = "30s", clock = systemClock } = options;
    this.#pipeline = pipeline;
    this.#user = user;
    this.#fieldManager = fieldManager;
    this.#timeout = duration(timeout);
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock, ({ fail }) => fail(timedOut()));
  }

  discover(apiVersion: string, options: CallOptions = {}): Promise<readonly KindInfo[]> {
    return this.#call(options, async () => {
      const types = await this.#pipeline.discover(this.#user, groupVersionOf(apiVersion));
      const kinds = types.map(({ kind, plural, namespaced }): KindInfo => {
        return { apiVersion, kind, plural, scope: namespaced ? "Namespaced" : "Cluster" };
      });
      return kinds.sort((a, b) => (a.plural < b.plural ? -1 : 1));
    });
  }

  get(kind: KindInfo, target: ObjectKey, options: GetOptions = {}): Promise<KubeObject> {
    const { resourceVersion, subresource, signal } = options;
    return this.#call(options, async () => {
      const request = this.#request("get", kind, target, {
        options: { resourceVersion: resourceVersion || undefined },
        subresource,
        signal,
      });
      return present(await this.#pipeline.handle(request), options);
    });
  }

  list(kind: KindInfo, scope: Scope, options: ListOptions = {}): Promise<Page> {
    return this.#call(options, async () => {
      const request = this.#request("list", kind, scope, { options, signal: options.signal });
      const { items, ...rest } = await this.#pipeline.handle(request);
      return Object.freeze({ items: Object.freeze(items.map((item) => present(item, options))), ...rest });
    });
  }

  async *watch(
    kind: KindInfo,
    scope: Scope,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly WatchEvent[], void, undefined> {
    this.#checkOpen();
    const { signal } = options;
    if (signal?.aborted) return;
    const end = new AbortController();
    const stop = (): void => end.abort();
    this.#watches.add(end);
    const forget = signal && onAbort(signal, stop);
    try {
      const request = this.#request("watch", kind, scope, { options, signal: end.signal });
      for await (const events of await this.#pipeline.handle(request)) {
        yield events.map(({ type, object }) => ({ type, object: present(object, options) }));
      }
    } catch (error) {
      throw toApiError(error);
    } finally {
      forget?.();
      this.#watches.delete(end);
      stop();
    }
  }

  create(kind: KindInfo, scope: Scope, body: unknown, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write("create", kind, scope, new ValueBody(body), { ...options, subresource: undefined });
  }

  update(kind: KindInfo, target: ObjectKey, body: unknown, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write("update", kind, target, new ValueBody(body), options);
  }

  patch(kind: KindInfo, target: ObjectKey, patch: Patch, options: WriteOptions = {}): Promise<KubeObject> {
    const force = patch.force || undefined;
    return this.#write("patch", kind, target, new ValueBody(patch.body, patch.type), { ...options, force });
  }

  #write(
    verb: "create" | "update" | "patch",
    kind: KindInfo,
    at: Scope & { readonly name?: string },
    body: ValueBody,
    options: WriteOptions & { readonly force?: boolean | undefined },
  ): Promise<KubeObject> {
    const { fieldManager, fieldValidation, dryRun, force, subresource, signal, onWarning } = options;
    return this.#call(options, async () => {
      const writeOptions: RequestWriteOptions = {
        fieldManager,
        fieldValidation,
        force,
        dryRun: dryRun ? all : undefined,
      };
      // A repeated attempt warns again, so warnings are passed on at the end, each once.
      const warnings = onWarning && new Set<string>();
      const request = this.#request(verb, kind, at, {
        options: writeOptions,
        subresource,
        body,
        signal,
        warn: warnings && ((text) => warnings.add(text)),
      });
      const { object } = await this.#pipeline.handle(request);
      if (onWarning) for (const text of warnings ?? []) callListener("onWarning", () => onWarning(text));
      return object.object;
    });
  }

  delete(kind: KindInfo, target: ObjectKey, options: DeleteOptions = {}): Promise<KubeObject | undefined> {
    return this.#call(options, async () => {
      const { signal } = options;
      const request = this.#request("delete", kind, target, {
        options: {},
        body: deleteBody(options),
        signal,
      });
      const { object, gone } = await this.#pipeline.handle(request);
      return gone ? undefined : object.object;
    });
  }

  deleteCollection(
    kind: KindInfo,
    scope: Scope,
    { labelSelector, fieldSelector }: Selection = {},
    options: DeleteOptions = {},
  ): Promise<readonly KubeObject[]> {
    return this.#call(options, async () => {
      const request = this.#request("deletecollection", kind, scope, {
        options: { labelSelector, fieldSelector },
        body: deleteBody(options),
        signal: options.signal,
      });
      const { items } = await this.#pipeline.handle(request);
      return Object.freeze(items.map(({ object }) => object));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const watch of this.#watches) watch.abort();
  }

  #request<V extends Verb>(
    verb: V,
    kind: KindInfo,
    at: Scope & { readonly name?: string },
    { options, subresource, body, signal, warn }: RequestParts<V>,
  ): ApiRequest<V> {
    const { group, version } = groupVersionOf(kind.apiVersion);
    // A literal and no spread: adding fields to a spread copy takes V8 about a microsecond each.
    return {
      user: this.#user,
      verb,
      resource: { group, version, resource: kind.plural },
      scope: requestScope(kind, at),
      name: at.name,
      subresource,
      options,
      body,
      program: this.#fieldManager,
      signal,
      warn,
    };
  }

  /** Awaits work until it ends, the caller aborts it, or its time is up. A write may still be committed after that. */
  #call<Result>({ signal, timeout }: CallOptions, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      signal?.throwIfAborted();
      const call: Call = { deadline: undefined, fail: reject };
      const timer = timeout ? this.#clock.after(timeout, () => reject(timedOut())) : undefined;
      if (timeout === undefined) this.#deadlines.add(call, this.#timeout);
      const forget = signal && onAbort(signal, () => reject(signal.reason));
      const end = (): void => {
        timer?.cancel();
        this.#deadlines.delete(call);
        forget?.();
      };
      const succeeded = (result: Result): void => {
        end();
        resolve(result);
      };
      const failed = (error: unknown): void => {
        end();
        reject(toApiError(error));
      };
      work().then(succeeded, failed);
    });
  }

  #checkOpen(): void {
    if (this.#closed) throw new ConnectionError("the connection to the API in this process has been closed");
  }
}

const all: readonly string[] = ["All"];

/** Options as a body, like all clients send them, so that values of the wrong type are refused in the same words. */
function deleteBody(options: DeleteOptions): ValueBody {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  return new ValueBody({
    propagationPolicy,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun ? all : undefined,
  });
}

function timedOut(): ApiError {
  return failures.timeout("request did not complete within the allotted timeout");
}

/** The error that a client of the HTTP API would see. */
function toApiError(error: unknown): Error {
  if (error instanceof ApiError) return error;
  if (error instanceof PageNotFound) {
    return fromStatus({ code: 404, message: "the server answered 404 (Not Found): 404 page not found" });
  }
  return internal(error);
}

function present(
  { object }: ObjectResponse,
  { metadataOnly }: { readonly metadataOnly?: boolean | undefined },
): KubeObject {
  if (!metadataOnly) return object;
  const { apiVersion, kind, metadata } = object;
  return Object.freeze({ apiVersion, kind, metadata });
}
