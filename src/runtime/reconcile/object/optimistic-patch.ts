import type { KindInfo } from "../../../client/kinds/kind.js";
import type { Subresource, Transport } from "../../../client/transport/transport.js";
import { isConflict, isNotFound, type KubeObject } from "../../../model/core.js";

/** Retries of a write that conflicts with that of another writer. */
const maxConflicts = 10;

export interface PatchContext {
  readonly kind: KindInfo;
  readonly transport: Transport;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * Patches an object if its resourceVersion is the observed one; on a conflict it is read, and `change` is called again.
 * `change` returns undefined if there is nothing to write. Returns the object afterwards; undefined if it is gone, even if
 * another object has its name.
 */
export async function optimisticPatch(
  { kind, transport, fieldManager, signal }: PatchContext,
  observed: KubeObject,
  change: (object: KubeObject) => { readonly metadata?: object; readonly status?: unknown } | undefined,
  subresource?: Subresource,
): Promise<KubeObject | undefined> {
  const { name = "", namespace, uid } = observed.metadata;
  const target = { name, namespace };
  let object = observed;
  for (let conflicts = 0; ; conflicts++) {
    const patch = change(object);
    if (patch === undefined) return object;
    const { resourceVersion } = object.metadata;
    const body = { metadata: { ...patch.metadata, uid, resourceVersion }, status: patch.status };
    try {
      return await transport.patch(
        kind,
        target,
        { type: "merge", body },
        { fieldManager, signal, subresource },
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || conflicts === maxConflicts) throw error;
    }
    const live = await transport.get(kind, target, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (live === undefined || live.metadata.uid !== uid) return undefined;
    object = live;
  }
}
