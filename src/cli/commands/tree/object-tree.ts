import type { Client } from "../../../client/client.js";
import type { UntypedObject } from "../../../client/kinds/kind.js";
import { asApiError, isNotFound } from "../../../model/core.js";
import { ownable } from "../../objects/children.js";
import type { ServedKind } from "../../server/served-kinds.js";
import type { ServerConnection } from "../../server/connect.js";
import { getObject, type ResolvedObject } from "../../objects/resolve-objects.js";
import type { Terminal } from "../../command/command.js";

/** An object and the objects it owns. */
export interface TreeNode {
  readonly kind: ServedKind;
  readonly object: UntypedObject;
  readonly children: readonly TreeNode[];
}

const maxDepth = 20;

/**
 * Reads an object and what it owns, recursively. Owners are not indexed, so the metadata of all kinds is listed once; kinds
 * that the user may not list are left out.
 */
export async function objectTree(
  server: ServerConnection,
  root: ResolvedObject,
  terminal: Terminal,
): Promise<TreeNode> {
  const { client } = server;
  const { signal } = terminal;
  const top = await getObject(server, root, terminal);
  const owned = await ownedBy(client, await server.kinds(), top.metadata.namespace, signal);
  const seen = new Set<string>();
  const grow = async (kind: ServedKind, object: UntypedObject, depth: number): Promise<TreeNode> => {
    const uid = object.metadata.uid ?? "";
    // Cyclic ownership: every object is expanded once.
    const isNew = !seen.has(uid) && depth < maxDepth;
    seen.add(uid);
    const children: TreeNode[] = [];
    for (const child of isNew ? (owned.get(uid) ?? []) : []) {
      const whole = await wholeOf(client, child, signal);
      if (whole !== undefined) children.push(await grow(child.kind, whole, depth + 1));
    }
    return { kind, object, children };
  };
  return grow(root.kind, top, 0);
}

interface Owned {
  readonly kind: ServedKind;
  readonly object: UntypedObject;
}

/** Owned objects by the uid of their owner. */
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

/** Reads an object in full; undefined when it was deleted meanwhile. */
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
    // A user who may list but not get sees at least the name.
    if (asApiError(error) !== undefined && !signal.aborted) return object;
    throw error;
  }
}

/** Kinds that occur in a tree. */
export function kindsIn({ kind, children }: TreeNode): ReadonlySet<ServedKind> {
  return new Set([kind, ...children.flatMap((child) => [...kindsIn(child)])]);
}
