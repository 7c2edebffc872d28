import type { KindInfo } from "../../client/kinds/kind.js";
import { parseApiVersion, type KubeObject } from "../../model/core.js";
import { writerField } from "../../server/resources/encode-stored.js";
import type { Entry } from "../../store/index.js";

/** Kinds that are stored as objects of another kind. */
const storedAs = new Map([["events.k8s.io events", "/core/events/"]]);

/** Prefix of the keys of all objects of a kind, as the server's registry defines it. */
function prefixOf({ apiVersion, plural }: KindInfo): string {
  const group = parseApiVersion(apiVersion)?.group || "core";
  return storedAs.get(`${group} ${plural}`) ?? `/${group}/${plural}/`;
}

export function storeKeyOfKind(
  kind: KindInfo,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return prefixOf(kind) + (kind.scope === "Namespaced" ? `${namespace}/${name}` : name);
}

/** Decodes a stored object. The resourceVersion is not stored. */
export function objectIn({ value }: Entry, revision: number): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = JSON.parse(decodeText(value)) as KubeObject;
  const { [writerField]: _, ...ownMetadata } = metadata as StoredMetadata;
  return { apiVersion, kind, metadata: { ...ownMetadata, resourceVersion: String(revision) }, ...rest };
}

type StoredMetadata = KubeObject["metadata"] & { readonly [writerField]?: string };

/** Name of the user who wrote an entry; undefined when the entry does not say. */
export function userIn({ value }: Entry): string | undefined {
  const { metadata } = JSON.parse(decodeText(value)) as { metadata?: StoredMetadata };
  return metadata?.[writerField];
}

/** Decodes an entry; undefined when it is not an object. */
export function objectOrUndefined(entry: Entry, revision: number): KubeObject | undefined {
  try {
    const object: Partial<KubeObject> = objectIn(entry, revision);
    return typeof object.kind === "string" ? (object as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

export function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}
