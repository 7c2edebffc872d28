import type { KindInfo, UntypedObject } from "../../../client/kinds/kind.js";
import { isNotFound } from "../../../model/core.js";
import type { Terminal } from "../../command/command.js";
import { titleOf } from "../../objects/find-kind.js";
import type { ServedKind } from "../../server/served-kinds.js";
import { inOrder, manifestTitle } from "../../manifests/apply-manifest.js";
import { readManifests } from "../../manifests/read-manifests.js";
import { searchHint } from "../../objects/not-found.js";
import type { Server } from "../../server/connect.js";
import type { ObjectSelection } from "../../objects/resolve-objects.js";

/** An object that is to be deleted. */
export interface Doomed {
  readonly kind: KindInfo;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly title: string;
  /** That of the object that was seen, so that one that takes its name meanwhile is spared. */
  readonly uid: string | undefined;
  readonly object: UntypedObject;
}

interface Found {
  readonly doomed: readonly Doomed[];
  readonly missing: readonly string[];
}

export async function doomedByName(
  { client, namespace }: Server,
  kind: ServedKind,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const doomed: Doomed[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const object = await client.find(kind, { name, namespace }, { metadataOnly: true, signal });
    const title = titleOf(kind, name);
    if (object !== undefined) doomed.push(doom(kind, object, title));
    else {
      const where = kind.scope === "Namespaced" ? ` in namespace ${namespace}` : "";
      missing.push(`${title}${where}; ${searchHint(kind)}`);
    }
  }
  return { doomed, missing };
}

export async function doomedBySelection(
  { client }: Server,
  kind: ServedKind,
  selection: ObjectSelection,
  signal: AbortSignal,
): Promise<readonly Doomed[]> {
  const { items } = await client.list(kind, { ...selection, metadataOnly: true, signal });
  return items.map((object) => doom(kind, object, titleOf(kind, object.metadata.name)));
}

/** In the reverse of the order in which they are applied: a definition goes last, since its objects go with it. */
export async function doomedByManifests(
  { client }: Server,
  files: readonly string[],
  recursive: boolean,
  terminal: Terminal,
): Promise<Found> {
  const doomed: Doomed[] = [];
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
      if (object !== undefined) doomed.push(doom(kind, object, title));
      else missing.push(`${title} (${source})`);
    } catch (error) {
      // Where there is no such kind, there is no such object.
      if (!isNotFound(error)) throw error;
      missing.push(`${title} (${source})`);
    }
  }
  return { doomed, missing };
}

function doom(kind: KindInfo, object: UntypedObject, title: string): Doomed {
  const { name = "", namespace, uid } = object.metadata;
  return { kind, name, namespace, title, uid, object };
}
