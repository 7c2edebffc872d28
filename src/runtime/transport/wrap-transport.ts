import type { KindInfo } from "../../client/kinds/kind.js";
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Page,
  Patch,
  Selection,
  Transport,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../client/transport/transport.js";
import type { ObjectKey, Scope } from "../../model/object/object-key.js";
import type { KubeObject } from "../../model/core.js";

/** A write to one object. */
export interface ObjectWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  readonly kind: KindInfo;
  /** Name and namespace; an object that is created may get its name from the server. */
  readonly target: { readonly namespace?: string | undefined; readonly name?: string | undefined };
  /** Object or patch that is sent; undefined for a deletion. */
  readonly body?: unknown;
  /** Type of the patch, of a patch or apply. */
  readonly patch?: Patch["type"] | undefined;
  readonly options: (WriteOptions & DeleteOptions) | undefined;
}

/** Functions called in place of the calls of a transport. Each gets a function that makes the call. */
export interface TransportHooks {
  get?(
    kind: KindInfo,
    target: ObjectKey,
    options: GetOptions | undefined,
    send: () => Promise<KubeObject>,
  ): Promise<KubeObject>;
  list?(kind: KindInfo, options: ListOptions | undefined, send: () => Promise<Page>): Promise<Page>;
  write(
    write: ObjectWrite,
    send: (options?: ObjectWrite["options"]) => Promise<KubeObject | undefined>,
  ): Promise<KubeObject | undefined>;
  deleteCollection(
    kind: KindInfo,
    scope: Scope,
    options: DeleteOptions | undefined,
    send: (options?: DeleteOptions) => Promise<readonly KubeObject[]>,
  ): Promise<readonly KubeObject[]>;
}

/** A transport whose reads and writes go through hooks. Closing it leaves the transport below open. */
export function wrapTransport(base: Transport, hooks: TransportHooks): Transport {
  return new WrappedTransport(base, hooks);
}

class WrappedTransport implements Transport {
  readonly #base: Transport;
  readonly #hooks: TransportHooks;

  constructor(base: Transport, hooks: TransportHooks) {
    this.#base = base;
    this.#hooks = hooks;
  }

  get namespace(): string | undefined {
    return this.#base.namespace;
  }

  discover(apiVersion: string, options?: CallOptions): Promise<readonly KindInfo[]> {
    return this.#base.discover(apiVersion, options);
  }

  get(kind: KindInfo, target: ObjectKey, options?: GetOptions): Promise<KubeObject> {
    const send = (): Promise<KubeObject> => this.#base.get(kind, target, options);
    return this.#hooks.get?.(kind, target, options, send) ?? send();
  }

  list(kind: KindInfo, scope: Scope, options?: ListOptions): Promise<Page> {
    const send = (): Promise<Page> => this.#base.list(kind, scope, options);
    return this.#hooks.list?.(kind, options, send) ?? send();
  }

  watch(kind: KindInfo, scope: Scope, options?: WatchOptions): AsyncIterable<readonly WatchEvent[]> {
    return this.#base.watch(kind, scope, options);
  }

  create(kind: KindInfo, scope: Scope, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    const { name } = (body as KubeObject).metadata ?? {};
    const target = { namespace: scope.namespace, name };
    return this.#hooks.write({ verb: "create", kind, target, body, options }, (changed = options) =>
      this.#base.create(kind, scope, body, changed),
    ) as Promise<KubeObject>;
  }

  update(kind: KindInfo, target: ObjectKey, body: unknown, options?: WriteOptions): Promise<KubeObject> {
    return this.#hooks.write({ verb: "update", kind, target, body, options }, (changed = options) =>
      this.#base.update(kind, target, body, changed),
    ) as Promise<KubeObject>;
  }

  patch(kind: KindInfo, target: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject> {
    const { type, body } = patch;
    const verb = type === "apply" ? "apply" : "patch";
    return this.#hooks.write({ verb, kind, target, body, patch: type, options }, (changed = options) =>
      this.#base.patch(kind, target, patch, changed),
    ) as Promise<KubeObject>;
  }

  delete(kind: KindInfo, target: ObjectKey, options?: DeleteOptions): Promise<KubeObject | undefined> {
    return this.#hooks.write({ verb: "delete", kind, target, options }, (changed = options) =>
      this.#base.delete(kind, target, changed),
    );
  }

  deleteCollection(
    kind: KindInfo,
    scope: Scope,
    selection?: Selection,
    options?: DeleteOptions,
  ): Promise<readonly KubeObject[]> {
    return this.#hooks.deleteCollection(kind, scope, options, (changed = options) =>
      this.#base.deleteCollection(kind, scope, selection, changed),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
