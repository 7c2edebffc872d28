import type { Client } from "../../client/client.js";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { asApiError, isNotFound } from "../../model/core.js";
import { sayWhere } from "../kinds/absent.js";
import { ownable } from "../kinds/children.js";
import type { ServedKind } from "../kinds/served-kinds.js";

/** An object with all it owns. */
export interface TreeNode {
  readonly kind: ServedKind;
  readonly object: UntypedObject;
  readonly children: readonly TreeNode[];
}

interface Root {
  readonly kind: ServedKind;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Deeper than this nothing is owned that people made. */
const deepest = 20;

/**
 * An object with what it owns, what that owns, and so on. Owners are not indexed, so the metadata of everything that could be
 * owned is read, once; kinds that one may not list are left out.
 */
export async function objectTree(
  client: Client,
  served: readonly ServedKind[],
  { kind, name, namespace }: Root,
  signal: AbortSignal,
): Promise<TreeNode> {
  const where = { name, namespace: kind.scope === "Cluster" ? undefined : namespace };
  const root = await client.get(kind, where, { signal }).catch(sayWhere(kind, namespace));
  const owned = await ownedBy(client, served, root.metadata.namespace, signal);
  const seen = new Set<string>();
  const grow = async (kind: ServedKind, object: UntypedObject, depth: number): Promise<TreeNode> => {
    const uid = object.metadata.uid ?? "";
    // Whoever owns their owner is shown once.
    const isNew = !seen.has(uid) && depth < deepest;
    seen.add(uid);
    const children: TreeNode[] = [];
    for (const child of isNew ? (owned.get(uid) ?? []) : []) {
      const whole = await wholeOf(client, child, signal);
      if (whole !== undefined) children.push(await grow(child.kind, whole, depth + 1));
    }
    return { kind, object, children };
  };
  return grow(kind, root, 0);
}

interface Owned {
  readonly kind: ServedKind;
  readonly object: UntypedObject;
}

/** Everything that is owned, by the uid of its owner. */
async function ownedBy(
  client: Client,
  served: readonly ServedKind[],
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Owned[]>> {
  const owned = new Map<string, Owned[]>();
  const kinds = ownable(served).filter(({ scope }) => namespace === undefined || scope === "Namespaced");
  const lists = await Promise.all(
    kinds.map(async (kind): Promise<readonly Owned[]> => {
      const found: Owned[] = [];
      try {
        for await (const object of client.each(kind, { namespace, metadataOnly: true, signal })) {
          if (object.metadata.ownerReferences !== undefined) found.push({ kind, object });
        }
      } catch (error) {
        if (signal.aborted || asApiError(error) === undefined) throw error;
      }
      return found;
    }),
  );
  for (const each of lists.flat()) {
    for (const { uid } of each.object.metadata.ownerReferences ?? []) {
      const siblings = owned.get(uid);
      if (siblings === undefined) owned.set(uid, [each]);
      else siblings.push(each);
    }
  }
  return owned;
}

/** The object with its status; undefined when it has gone meanwhile. */
async function wholeOf(
  client: Client,
  { kind, object }: Owned,
  signal: AbortSignal,
): Promise<UntypedObject | undefined> {
  const { name = "", namespace } = object.metadata;
  try {
    return await client.get(kind, { name, namespace }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    // Who may list but not read sees the names at least.
    if (asApiError(error) !== undefined && !signal.aborted) return object;
    throw error;
  }
}

/** All kinds in a tree. */
export function kindsIn({ kind, children }: TreeNode): ReadonlySet<ServedKind> {
  return new Set([kind, ...children.flatMap((child) => [...kindsIn(child)])]);
}
