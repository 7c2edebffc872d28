import type { KindInfo, UntypedObject } from "../../../client/kinds/kind.js";
import { isNotFound } from "../../../model/core.js";
import type { Terminal } from "../../command/command.js";
import { titleOf } from "../../objects/find-kind.js";
import type { ServedKind } from "../../server/served-kinds.js";
import { inOrder, manifestTitle } from "../../manifests/apply-manifest.js";
import { readManifests } from "../../manifests/read-manifests.js";
import { searchHint } from "../../objects/not-found.js";
import type { ServerConnection } from "../../server/connect.js";
import type { ObjectSelection } from "../../objects/resolve-objects.js";

/** Object to delete. */
export interface Deletion {
  readonly kind: KindInfo;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly title: string;
  /** Precondition of the delete: another object of the same name is not deleted. */
  readonly uid: string | undefined;
  readonly object: UntypedObject;
}

interface Found {
  readonly deletions: readonly Deletion[];
  readonly missing: readonly string[];
}

export async function deletionsByName(
  { client, namespace }: ServerConnection,
  kind: ServedKind,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const deletions: Deletion[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const object = await client.find(kind, { name, namespace }, { metadataOnly: true, signal });
    const title = titleOf(kind, name);
    if (object !== undefined) deletions.push(toDeletion(kind, object, title));
    else {
      const where = kind.scope === "Namespaced" ? ` in namespace ${namespace}` : "";
      missing.push(`${title}${where}; ${searchHint(kind)}`);
    }
  }
  return { deletions, missing };
}

export async function deletionsBySelection(
  { client }: ServerConnection,
  kind: ServedKind,
  selection: ObjectSelection,
  signal: AbortSignal,
): Promise<readonly Deletion[]> {
  const { items } = await client.list(kind, { ...selection, metadataOnly: true, signal });
  return items.map((object) => toDeletion(kind, object, titleOf(kind, object.metadata.name)));
}

/** Finds the objects of manifests, in the reverse order of apply: a definition comes last, since its objects go with it. */
export async function deletionsByManifest(
  { client }: ServerConnection,
  files: readonly string[],
  recursive: boolean,
  terminal: Terminal,
): Promise<Found> {
  const deletions: Deletion[] = [];
  const missing: string[] = [];
  const found = await readManifests(files, { recursive, terminal });
  for (const { manifest, source } of inOrder(found).toReversed()) {
    const { name, namespace } = manifest.metadata;
    const title = manifestTitle(manifest);
    if (name === undefined)
      throw new Error(
        `${source}: ${title} has only a generateName, so it cannot be deleted by manifest; delete it by name`,
      );
    const { signal } = terminal;
    try {
      const kind = await client.kind(manifest, { signal });
      const object = await client.find(kind, { name, namespace }, { metadataOnly: true, signal });
      if (object !== undefined) deletions.push(toDeletion(kind, object, title));
      else missing.push(`${title} (${source})`);
    } catch (error) {
      // If the kind is not served, the object does not exist.
      if (!isNotFound(error)) throw error;
      missing.push(`${title} (${source})`);
    }
  }
  return { deletions, missing };
}

function toDeletion(kind: KindInfo, object: UntypedObject, title: string): Deletion {
  const { name = "", namespace, uid } = object.metadata;
  return { kind, name, namespace, title, uid, object };
}
