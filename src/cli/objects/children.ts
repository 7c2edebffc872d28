import type { Client } from "../../client/client.js";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { asApiError } from "../../model/core.js";
import type { ServedKind } from "../server/served-kinds.js";

/** Owned object, metadata only. */
export interface Child {
  readonly kind: ServedKind;
  readonly object: UntypedObject;
}

/**
 * Lists the objects that an object owns. Owners are not indexed, so the metadata of all kinds is listed, in the owner's
 * namespace or, for a cluster-scoped owner, in all. Kinds that the user may not list are left out.
 */
export async function childrenOf(
  client: Client,
  served: readonly ServedKind[],
  owner: UntypedObject,
  signal?: AbortSignal,
): Promise<readonly Child[]> {
  const { uid, namespace } = owner.metadata;
  if (uid === undefined) return [];
  const kinds = ownable(served).filter(({ scope }) => namespace === undefined || scope === "Namespaced");
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const children: Child[] = [];
      try {
        for await (const object of client.each(kind, { namespace, metadataOnly: true, signal })) {
          const owners = object.metadata.ownerReferences ?? [];
          if (owners.some((reference) => reference.uid === uid)) children.push({ kind, object });
        }
      } catch (error) {
        if (asApiError(error) === undefined) throw error;
      }
      return children;
    }),
  );
  return lists.flat();
}

/** One version of each kind that can be listed, without events, which have no owner. */
export function ownable(served: readonly ServedKind[]): readonly ServedKind[] {
  const seen = new Set<string>();
  return served.filter(({ group, plural, verbs }) => {
    const key = `${group}/${plural}`;
    if (plural === "events" || !verbs.includes("list") || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
