import type { KubeObject } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import { type AskPage, listAll } from "../transport/paging.js";
import { isGone } from "../transport/is-gone.js";
import type { CallOptions, ObjectKey, Transport, WriteOptions } from "../transport/transport.js";
import type { Informers } from "./informers.js";

/**
 * A transport that tells informers of what is written through it, so that who reads from their caches finds their own
 * writes there. Dry runs are not told.
 *
 * @example
 * const client = createClient({ transport: readYourWrites(transport, informers) });
 */
export function readYourWrites(
  transport: Transport,
  informers: Pick<Informers, "wrote" | "removed" | "follows">,
): Transport {
  // What took its last finalizer away was also what ended it.
  const tell = (kind: KindInfo, object: KubeObject): void =>
    isGone(object) ? informers.removed(kind, placeOf(object)) : informers.wrote(kind, object);
  /** For what a write has changed without showing it. When it cannot be looked at, the watch tells. */
  const look = (kind: KindInfo, target: ObjectKey, { signal, timeout }: CallOptions = {}): Promise<void> =>
    transport.get(kind, target, { signal, timeout }).then(
      (object) => tell(kind, object),
      () => {},
    );
  const told = async (
    kind: KindInfo,
    options: WriteOptions | undefined,
    writing: Promise<KubeObject>,
  ): Promise<KubeObject> => {
    const object = await writing;
    if (options?.dryRun === true) return object;
    if (object.kind === kind.kind && object.apiVersion === kind.apiVersion) tell(kind, object);
    // A Scale, which is answered by its own kind, is not what informers have.
    else if (informers.follows(kind)) await look(kind, placeOf(object), options);
    return object;
  };
  return {
    namespace: transport.namespace,
    discover: (apiVersion, options) => transport.discover(apiVersion, options),
    get: (kind, target, options) => transport.get(kind, target, options),
    list: (kind, scope, options) => transport.list(kind, scope, options),
    watch: (kind, scope, options) => transport.watch(kind, scope, options),
    create: (kind, scope, body, options) => told(kind, options, transport.create(kind, scope, body, options)),
    update: (kind, target, body, options) =>
      told(kind, options, transport.update(kind, target, body, options)),
    patch: (kind, target, patch, options) =>
      told(kind, options, transport.patch(kind, target, patch, options)),
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
      const ask: AskPage = (asked) => transport.list(kind, scope, asked);
      // The answer has them as they were. Which of them are gone, and which wait for something, only a look tells; when
      // there is none to be had, they were deleted nevertheless, and the watch tells what became of them.
      const left = await listAll(ask, { ...selection, signal, timeout }).catch(() => undefined);
      if (left === undefined) return deleted;
      const kept = new Map(left.items.map((object) => [object.metadata.uid, object]));
      for (const object of deleted) {
        const now = kept.get(object.metadata.uid);
        if (now === undefined) informers.removed(kind, placeOf(object));
        else tell(kind, now);
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
