import type { KubeObject } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import { type PageRequest, listAll } from "../transport/paging.js";
import { isRemoved } from "../transport/is-removed.js";
import type { CallOptions, Transport, WriteOptions } from "../transport/transport.js";
import type { ObjectKey } from "../../model/object/object-key.js";
import type { Informers } from "./informers.js";

/**
 * Transport that puts its writes into the caches of informers, so that readers of the caches see their own writes. Dry runs
 * are left out.
 *
 * @example
 * const client = createClient({ transport: readYourWrites(transport, informers) });
 */
export function readYourWrites(
  transport: Transport,
  informers: Pick<Informers, "wrote" | "removed" | "follows">,
): Transport {
  // Removing the last finalizer has deleted the object.
  const putIntoCaches = (kind: KindInfo, object: KubeObject): void =>
    isRemoved(object) ? informers.removed(kind, placeOf(object)) : informers.wrote(kind, object);
  /** Reads an object whose new state the response of a write does not contain. If that fails, the watch catches up. */
  const readAgain = (
    kind: KindInfo,
    target: ObjectKey,
    { signal, timeout }: CallOptions = {},
  ): Promise<void> =>
    transport.get(kind, target, { signal, timeout }).then(
      (object) => putIntoCaches(kind, object),
      () => {},
    );
  const cacheResult = async (
    kind: KindInfo,
    options: WriteOptions | undefined,
    writing: Promise<KubeObject>,
  ): Promise<KubeObject> => {
    const object = await writing;
    if (options?.dryRun === true) return object;
    if (object.kind === kind.kind && object.apiVersion === kind.apiVersion) putIntoCaches(kind, object);
    // The response is a Scale, not the object that informers cache.
    else if (informers.follows(kind)) await readAgain(kind, placeOf(object), options);
    return object;
  };
  return {
    namespace: transport.namespace,
    discover: (apiVersion, options) => transport.discover(apiVersion, options),
    get: (kind, target, options) => transport.get(kind, target, options),
    list: (kind, scope, options) => transport.list(kind, scope, options),
    watch: (kind, scope, options) => transport.watch(kind, scope, options),
    create: (kind, scope, body, options) =>
      cacheResult(kind, options, transport.create(kind, scope, body, options)),
    update: (kind, target, body, options) =>
      cacheResult(kind, options, transport.update(kind, target, body, options)),
    patch: (kind, target, patch, options) =>
      cacheResult(kind, options, transport.patch(kind, target, patch, options)),
    async delete(kind, target, options) {
      const left = await transport.delete(kind, target, options);
      if (options?.dryRun === true) return left;
      if (left === undefined) informers.removed(kind, { ...target, uid: options?.preconditions?.uid });
      else if (left.kind === kind.kind) informers.wrote(kind, left);
      return left;
    },
    async deleteCollection(kind, scope, selection, options) {
      const deleted = await transport.deleteCollection(kind, scope, selection, options);
      if (options?.dryRun === true || deleted.length === 0 || !informers.follows(kind)) return deleted;
      const { signal, timeout } = options ?? {};
      const ask: PageRequest = (asked) => transport.list(kind, scope, asked);
      // The response has the objects as they were; a list shows which ones are gone and which wait for finalizers. Without
      // a list, all count as deleted until the watch catches up.
      const left = await listAll(ask, { ...selection, signal, timeout }).catch(() => undefined);
      if (left === undefined) return deleted;
      const kept = new Map(left.items.map((object) => [object.metadata.uid, object]));
      for (const object of deleted) {
        const now = kept.get(object.metadata.uid);
        if (now === undefined) informers.removed(kind, placeOf(object));
        else putIntoCaches(kind, now);
      }
      return deleted;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function placeOf({
  metadata: { namespace, name = "", uid },
}: KubeObject): ObjectKey & { readonly uid: string | undefined } {
  return { namespace, name, uid };
}
