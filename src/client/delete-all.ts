import { asApiError, isConflict, isNotFound } from "../model/core.js";
import type { Where } from "./client.js";
import type { KindInfo } from "./kinds/kind.js";
import { eachOf, type PageRequest } from "./transport/paging.js";
import type { DeleteOptions, Selection, Transport } from "./transport/transport.js";
import type { Scope } from "../model/object/object-key.js";
import { namespaceScope } from "./object-ref.js";

/**
 * Deletes all selected objects of a kind; `left` returns the options of each request. Deletes one collection per namespace,
 * because there is no request for all namespaces, and one object at a time where the kind has no deletecollection.
 */
export async function deleteAll(
  transport: Transport,
  info: KindInfo,
  { namespace, ...selection }: Where,
  left: () => DeleteOptions,
): Promise<void> {
  const scopes =
    namespace || info.scope === "Cluster"
      ? [namespaceScope(info, namespace)]
      : await namespacesOf(transport, info, selection, left);
  for (const scope of scopes) {
    try {
      await transport.deleteCollection(info, scope, selection, left());
    } catch (error) {
      // Namespaces, for example, have no deletecollection.
      if (asApiError(error)?.code !== 405) throw error;
      await deleteEach(transport, info, scope, selection, left);
    }
  }
}

/** Namespaces that contain selected objects. */
async function namespacesOf(
  transport: Transport,
  info: KindInfo,
  selection: Selection,
  left: () => DeleteOptions,
): Promise<readonly Scope[]> {
  const namespaces = new Set<string>();
  for await (const { metadata } of eachOf(asking(transport, info, {}, left), selected(selection))) {
    if (metadata.namespace) namespaces.add(metadata.namespace);
  }
  return Array.from(namespaces, (namespace) => ({ namespace }));
}

async function deleteEach(
  transport: Transport,
  info: KindInfo,
  scope: Scope,
  selection: Selection,
  left: () => DeleteOptions,
): Promise<void> {
  const listed = eachOf(asking(transport, info, scope, left), selected(selection));
  for await (const { metadata } of listed) {
    const { name = "", namespace, uid } = metadata;
    const options = left();
    const preconditions = { uid, ...options.preconditions };
    try {
      await transport.delete(
        info,
        { ...namespaceScope(info, namespace), name },
        { ...options, preconditions },
      );
    } catch (error) {
      // Deleted already, or replaced by another object of the same name.
      const isOver = isNotFound(error) || (isConflict(error) && options.preconditions === undefined);
      if (!isOver) throw error;
    }
  }
}

function selected(selection: Selection): Parameters<PageRequest>[0] {
  return { ...selection, metadataOnly: true };
}

function asking(transport: Transport, info: KindInfo, scope: Scope, left: () => DeleteOptions): PageRequest {
  return (asked) => {
    const { signal, timeout } = left();
    return transport.list(info, scope, { ...asked, signal, timeout });
  };
}
