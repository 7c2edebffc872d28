import type { KubeObject } from "../../model/core.js";

export function reconcileKey({ metadata }: KubeObject): string {
  return joinKey(metadata.namespace, metadata.name ?? "");
}

export function joinKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: "", name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function describe(object: KubeObject): string {
  return `${object.kind} ${reconcileKey(object)}`;
}

/** Key of a kind, by which caches and children are found. */
export function kindKey({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): string {
  return `${apiVersion}/${kind}`;
}
