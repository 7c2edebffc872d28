import type { KindInfo } from "../../../client/kinds/kind.js";
import { parseApiVersion, type KubeObject } from "../../../model/core.js";
import type { Entry } from "../../../store/index.js";

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
  return { apiVersion, kind, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
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
