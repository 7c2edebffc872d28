import type { KindInfo } from "../../../client/kinds/kind.js";
import { parseApiVersion, type KubeObject } from "../../../model/core.js";
import type { Entry } from "../../../store/index.js";

/** Kinds that are views of another one, which they are stored as. */
const storedAs = new Map([["events.k8s.io events", "/core/events/"]]);

/** What the keys of all objects of a kind start with, as the server's registry has them. */
function prefixOf({ apiVersion, plural }: KindInfo): string {
  const group = parseApiVersion(apiVersion)?.group || "core";
  return storedAs.get(`${group} ${plural}`) ?? `/${group}/${plural}/`;
}

export function keyOf(
  kind: KindInfo,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return prefixOf(kind) + (kind.scope === "Namespaced" ? `${namespace}/${name}` : name);
}

/** What is stored says itself what it is; only its version is not part of it. */
export function objectIn({ value }: Entry, revision: number): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = JSON.parse(textOf(value)) as KubeObject;
  return { apiVersion, kind, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
}

/** The same if it is an object at all. */
export function objectOrNothing(entry: Entry, revision: number): KubeObject | undefined {
  try {
    const object: Partial<KubeObject> = objectIn(entry, revision);
    return typeof object.kind === "string" ? (object as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

export function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}
