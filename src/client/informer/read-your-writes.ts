import type { KubeObject } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import type { Transport, WriteOptions } from "../transport/transport.js";
import type { Informers } from "./informers.js";

/**
 * A transport that tells informers of what is written through it, so that who reads from their caches finds their own
 * writes there. Dry runs are not told, nor is the deletion of whole collections, of which nobody knows what they held.
 *
 * @example
 * const client = createClient({ transport: readYourWrites(transport, informers) });
 */
export function readYourWrites(
  transport: Transport,
  informers: Pick<Informers, "wrote" | "removed">,
): Transport {
  const told = async (
    kind: KindInfo,
    options: WriteOptions | undefined,
    writing: Promise<KubeObject>,
  ): Promise<KubeObject> => {
    const object = await writing;
    // A Scale is answered by its own kind: it is not what informers have.
    const own = object.kind === kind.kind && object.apiVersion === kind.apiVersion;
    if (own && options?.dryRun !== true) informers.wrote(kind, object);
    return object;
  };
  return {
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
    deleteCollection: (kind, scope, selection, options) =>
      transport.deleteCollection(kind, scope, selection, options),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
