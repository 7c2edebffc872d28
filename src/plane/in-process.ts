import type { KindInfo } from "../client/kinds/kind.js";
import { onAbort } from "../client/on-abort.js";
import { tell } from "../client/tell.js";
import { versionPath } from "../client/transport/http/paths.js";
import {
  ConnectionError,
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type Page,
  type Patch,
  type Scope,
  type Selection,
  type Subresource,
  type Target,
  type Transport,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from "../client/transport/transport.js";
import {
  ApiError,
  duration,
  failures,
  formatApiVersion,
  fromStatus,
  systemClock,
  type Clock,
  type Duration,
  type KubeObject,
} from "../model/core.js";
import { internal } from "../model/errors/api-error.js";
import { Deadlines, type Expiring } from "../server/http/limits/deadlines.js";
import { PageNotFound } from "../server/http/page-not-found.js";
import { forceOf, listOptions, watchOptions, writeOptions } from "../server/http/request/options.js";
import { routeOf, unknownKind, type Route } from "../server/http/verbs/route.js";
import type {
  Api,
  Answer,
  ObjectEvent,
  Registry,
  WriteOptions as RegistryWriteOptions,
} from "../server/index.js";
import {
  contentOf,
  deletingIn,
  pagingIn,
  patchOf,
  pathOf,
  queryOf,
  selectionIn,
  watchingIn,
} from "./in-process-requests.js";

export interface InProcessOptions {
  /** Who fields belong to that are written without a word about it. */
  readonly fieldManager?: string;
  /** How long a call may take that does not say; then it fails with a 504 Timeout. Default 30s. */
  readonly timeout?: Duration;
  readonly clock?: Clock;
}

/**
 * Reaches an API in this process: what a request over HTTP would be answered, without the wire. What is read is not
 * copied, all readers share the same frozen objects; what is written is copied, so that the caller keeps what it gave.
 * Closing it ends its watches, and leaves the API alone.
 *
 * @example
 * await using api = await startApi({ store });
 * await using client = createClient({ transport: inProcess(api) });
 */
export function inProcess(api: Pick<Api, "registry">, options: InProcessOptions = {}): Transport {
  return new InProcessTransport(api.registry, options);
}

const optionKinds = { create: "CreateOptions", update: "UpdateOptions", patch: "PatchOptions" } as const;

interface Call extends Expiring {
  readonly fail: (error: unknown) => void;
}

/** Options of a write as they were given, and what they mean. */
interface SaidOptions {
  readonly fieldManager: string | undefined;
  readonly fieldValidation: string | undefined;
  readonly dryRun: string | undefined;
  readonly options: RegistryWriteOptions;
}

interface Written {
  readonly route: Route;
  readonly writing: RegistryWriteOptions;
  /** A write that has to be tried again warns again, so they are told at the end, each once. */
  readonly warnings?: ReadonlySet<string>;
}

class InProcessTransport implements Transport {
  readonly #registry: Registry;
  readonly #fieldManager: string;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines<Call>;
  readonly #watches = new Set<AbortController>();
  readonly #said = new Map<string, SaidOptions>();
  #closed = false;

  constructor(registry: Registry, options: InProcessOptions) {
    const { fieldManager = "fettle", timeout = "30s", clock = systemClock } = options;
    this.#registry = registry;
    this.#fieldManager = fieldManager;
    this.#timeout = duration(timeout);
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock, ({ fail }) => fail(late()));
  }

  discover(apiVersion: string, options: CallOptions = {}): Promise<readonly KindInfo[]> {
    return this.#call(options, async () => {
      versionPath(apiVersion);
      const kinds = this.#registry.types.all
        .filter(({ group, version }) => formatApiVersion({ group, version }) === apiVersion)
        .map(({ kind, plural, namespaced }): KindInfo => {
          return { apiVersion, kind, plural, scope: namespaced ? "Namespaced" : "Cluster" };
        });
      if (kinds.length === 0 && apiVersion !== "v1") throw new PageNotFound();
      return kinds.sort((a, b) => (a.plural < b.plural ? -1 : 1));
    });
  }

  get(kind: KindInfo, target: Target, options: GetOptions = {}): Promise<KubeObject> {
    return this.#call(options, async () => {
      const { type, scope, subresource } = this.#route("get", kind, target, options);
      const resourceVersion = options.resourceVersion || undefined;
      const answer = await this.#registry.get(
        type,
        { ...scope, name: target.name },
        { resourceVersion, subresource },
      );
      return shown(answer, options);
    });
  }

  list(kind: KindInfo, scope: Scope, options: ListOptions = {}): Promise<Page> {
    return this.#call(options, async () => {
      const route = this.#route("list", kind, scope);
      const asked = listOptions(queryOf(selectionIn(options), pagingIn(options)));
      const { items, ...answer } = await this.#registry.list(route.type, route.scope, asked);
      return Object.freeze({ items: Object.freeze(items.map((item) => shown(item, options))), ...answer });
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
      const route = this.#route("watch", kind, scope);
      const asked = watchOptions(queryOf(selectionIn(options), watchingIn(options)), undefined);
      const { limit: _, continue: __, ...watching } = asked;
      const batches = this.#registry.watch(route.type, route.scope, { ...watching, signal: end.signal });
      for await (const events of batches) {
        yield events.map(({ type, object }: ObjectEvent) => ({ type, object: shown(object, options) }));
      }
    } catch (error) {
      throw asFailure(error);
    } finally {
      forget?.();
      this.#watches.delete(end);
      stop();
    }
  }

  create(kind: KindInfo, scope: Scope, body: unknown, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#call(options, async () => {
      const { route, writing, warnings } = this.#written("create", kind, scope, options);
      const content = contentOf(route, body, writing);
      const sent = content instanceof Promise ? await content : content;
      const { object } = await this.#registry.create(route.type, route.scope, sent, writing);
      warn(warnings, options);
      return object;
    });
  }

  update(kind: KindInfo, target: Target, body: unknown, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#call(options, async () => {
      const { route, writing, warnings } = this.#written("update", kind, target, options);
      const content = contentOf(route, body, writing);
      const sent = content instanceof Promise ? await content : content;
      const at = { namespace: route.scope.namespace, name: target.name };
      const { answer } = await this.#registry.update(route.type, at, sent, writing);
      warn(warnings, options);
      return answer.object;
    });
  }

  patch(kind: KindInfo, target: Target, patch: Patch, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#call(options, async () => {
      const { route, writing, warnings } = this.#written("patch", kind, target, options);
      const content = patchOf(route, patch, writing);
      const { type, body } = content instanceof Promise ? await content : content;
      const { fieldManager } = options;
      const said = type === "apply" || patch.force;
      const force = said
        ? forceOf(queryOf({ fieldManager, force: patch.force || undefined }), type)
        : undefined;
      const at = { namespace: route.scope.namespace, name: target.name };
      const { answer } = await this.#registry.patch(route.type, at, { type, body, force }, writing);
      warn(warnings, options);
      return answer.object;
    });
  }

  delete(kind: KindInfo, target: Target, options: DeleteOptions = {}): Promise<KubeObject | undefined> {
    return this.#call(options, async () => {
      const { type, scope } = this.#route("delete", kind, target);
      const deleting = deletingIn(options);
      const { answer, gone } = await this.#registry.delete(type, { ...scope, name: target.name }, deleting);
      return gone ? undefined : answer.object;
    });
  }

  deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection: Selection = {},
    options: DeleteOptions = {},
  ): Promise<readonly KubeObject[]> {
    return this.#call(options, async () => {
      const route = this.#route("deletecollection", kind, scope);
      const selected = listOptions(queryOf(selectionIn(selection)));
      const deleting = deletingIn(options);
      const { items } = await this.#registry.deleteCollection(route.type, route.scope, selected, deleting);
      return Object.freeze(items.map(({ object }) => object));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const watch of this.#watches) watch.abort();
  }

  /** Where a request would end up; it fails where and as the same request over HTTP does. */
  #route(
    verb: string,
    kind: KindInfo,
    address: Scope & { readonly name?: string },
    { subresource }: GetOptions = {},
  ): Route {
    const path = pathOf(kind, address, subresource);
    const type = this.#registry.types.find(path.group, path.version, path.resource);
    if (type === undefined) throw unknownKind(this.#registry, path);
    return routeOf(type, path, verb, "GET");
  }

  /** Where a write goes, and what its options mean. */
  #written(
    verb: keyof typeof optionKinds,
    kind: KindInfo,
    target: Scope & { readonly name?: string },
    options: WriteOptions,
  ): Written {
    const { fieldManager, fieldValidation, dryRun, subresource, onWarning } = options;
    const route = this.#route(verb, kind, target, verb === "create" ? {} : options);
    const query = { fieldManager, fieldValidation, dryRun: dryRun ? "All" : undefined };
    const writing = this.#writeOptions(query, optionKinds[verb], subresource);
    if (onWarning === undefined) return { route, writing };
    const warnings = new Set<string>();
    return { route, writing: { ...writing, warn: (text) => warnings.add(text) }, warnings };
  }

  /** What was said once is said again with most writes, and need not be read and checked again. */
  #writeOptions(
    query: Readonly<Record<string, string | undefined>>,
    kind: (typeof optionKinds)[keyof typeof optionKinds],
    subresource: Subresource | undefined,
  ): RegistryWriteOptions {
    const { fieldManager, fieldValidation, dryRun } = query;
    const last = this.#said.get(kind);
    const isSame =
      last?.fieldManager === fieldManager &&
      last?.fieldValidation === fieldValidation &&
      last?.dryRun === dryRun &&
      last?.options.subresource === subresource;
    if (last !== undefined && isSame) return last.options;
    const options = { ...writeOptions(queryOf(query), kind, this.#fieldManager), subresource };
    this.#said.set(kind, { fieldManager, fieldValidation, dryRun, options });
    return options;
  }

  /** Does something until it is done, the caller gives it up, or its time is up. A write may still come to pass then. */
  #call<Result>({ signal, timeout }: CallOptions, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      signal?.throwIfAborted();
      const call: Call = { deadline: undefined, fail: reject };
      const timer = timeout ? this.#clock.after(timeout, () => reject(late())) : undefined;
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
        reject(asFailure(error));
      };
      work().then(succeeded, failed);
    });
  }

  #checkOpen(): void {
    if (this.#closed) throw new ConnectionError("the connection to the API in this process has been closed");
  }
}

function warn(warnings: ReadonlySet<string> | undefined, { onWarning }: WriteOptions): void {
  if (warnings === undefined || onWarning === undefined) return;
  for (const text of warnings) tell("onWarning", () => onWarning(text));
}

function late(): ApiError {
  return failures.timeout("request did not complete within the allotted timeout");
}

/** What the wire makes of an error. */
function asFailure(error: unknown): Error {
  if (error instanceof ApiError) return error;
  if (error instanceof PageNotFound) {
    return fromStatus({ code: 404, message: "the server answered 404 (Not Found): 404 page not found" });
  }
  return internal(error);
}

function shown(
  { object }: Answer,
  { metadataOnly }: { readonly metadataOnly?: boolean | undefined },
): KubeObject {
  if (!metadataOnly) return object;
  const { apiVersion, kind, metadata } = object;
  return Object.freeze({ apiVersion, kind, metadata });
}
