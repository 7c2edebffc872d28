import type { KindInfo } from "../../client/kinds/kind.js";
import type { Patch, Transport, WatchEvent } from "../../client/transport/transport.js";
import type { KubeObject } from "../../model/core.js";

/** Method of a transport that makes one request; a watch is a stream. */
export type TransportMethod = "get" | "list" | "create" | "update" | "patch" | "delete" | "deleteCollection";

/** Request to the API. */
export interface Call {
  readonly verb: TransportMethod | "watch";
  readonly kind: KindInfo;
  /** Empty for all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty for lists, watches and generated names. */
  readonly name: string;
  readonly subresource?: string | undefined;
  /** Object to create or update. */
  readonly body?: unknown;
  /** Server-side apply is a patch of type `apply`. */
  readonly patch?: Patch | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

export type Batches = AsyncIterable<readonly WatchEvent[]>;

/** Functions through which the requests of a transport pass. */
export interface Hooks {
  /** Called for every request but watches; `next` sends the request. */
  readonly call?: (<T>(call: Call, next: () => Promise<T>) => Promise<T>) | undefined;
  readonly watch?: ((call: Call, next: () => Batches) => Batches) | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/** Wraps a transport so that all requests pass through hooks. */
export function hooked(base: Transport, { call, watch, close }: Hooks): Transport {
  const through = <T>(
    about: Omit<Partial<Call>, "verb"> & Pick<Call, "verb" | "kind">,
    next: () => Promise<T>,
  ) => (call === undefined ? next() : call(callOf(about), next));
  return {
    namespace: base.namespace,
    discover: (apiVersion, options) => base.discover(apiVersion, options),
    get: (kind, target, options) =>
      through(about("get", kind, target, options), () => base.get(kind, target, options)),
    list: (kind, scope, options) =>
      through(about("list", kind, scope, options), () => base.list(kind, scope, options)),
    watch: (kind, scope, options) => {
      const next = (): Batches => base.watch(kind, scope, options);
      return watch === undefined ? next() : watch(callOf(about("watch", kind, scope, options)), next);
    },
    create: (kind, scope, body, options) => {
      const { name } = (body as KubeObject).metadata ?? {};
      return through(
        { ...about("create", kind, { ...scope, ...(name !== undefined && { name }) }, options), body },
        () => base.create(kind, scope, body, options),
      );
    },
    update: (kind, target, body, options) =>
      through({ ...about("update", kind, target, options), body }, () =>
        base.update(kind, target, body, options),
      ),
    patch: (kind, target, patch, options) =>
      through({ ...about("patch", kind, target, options), patch }, () =>
        base.patch(kind, target, patch, options),
      ),
    delete: (kind, target, options) =>
      through(about("delete", kind, target, options), () => base.delete(kind, target, options)),
    deleteCollection: (kind, scope, selection, options) =>
      through(about("deleteCollection", kind, scope, options), () =>
        base.deleteCollection(kind, scope, selection, options),
      ),
    [Symbol.asyncDispose]: close ?? (() => base[Symbol.asyncDispose]()),
  };
}

function about(
  verb: Call["verb"],
  kind: KindInfo,
  { namespace = "", name = "" }: { readonly namespace?: string | undefined; readonly name?: string },
  options: object = {},
): Call {
  const { subresource } = options as { subresource?: string };
  return { verb, kind, namespace, name, subresource, options: options as Record<string, unknown> };
}

function callOf(call: Omit<Partial<Call>, "verb"> & Pick<Call, "verb" | "kind">): Call {
  return { namespace: "", name: "", options: {}, ...call };
}

/** True for requests that write. */
export function isWrite({ verb, options }: Call): boolean {
  return verb !== "get" && verb !== "list" && verb !== "watch" && options["dryRun"] !== true;
}

/** Describes a request: `apply Page default/hello-1`, `patch Site default/hello (status)`. */
export function describeCall({ verb, kind, namespace, name, subresource, patch }: Call): string {
  const what = patch?.type === "apply" ? "apply" : verb;
  const which = `${namespace === "" ? "" : `${namespace}/`}${name === "" ? "*" : name}`;
  return `${what} ${kind.kind} ${which}${subresource === undefined ? "" : ` (${subresource})`}`;
}
