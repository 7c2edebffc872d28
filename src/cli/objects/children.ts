import type { Client } from "../../client/client.js";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { asApiError } from "../../model/core.js";
import type { ServedKind } from "../server/served-kinds.js";

/** An object that another one owns, of which only the metadata was read. */
export interface Child {
  readonly kind: ServedKind;
  readonly object: UntypedObject;
}

/**
 * What an object owns, by kind and name. Owners are not indexed, so the metadata of everything that could be owned by it is
 * looked at: all kinds, in its namespace or for an object without one in all. Kinds that one may not list are left out.
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

/** One version of each kind that can be listed. Events are about objects, and owned by none. */
export function ownable(served: readonly ServedKind[]): readonly ServedKind[] {
  const seen = new Set<string>();
  return served.filter(({ group, plural, verbs }) => {
    const key = `${group}/${plural}`;
    if (plural === "events" || !verbs.includes("list") || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
