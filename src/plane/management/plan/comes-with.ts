import { parseApiVersion, type KubeObject } from "../../../model/core.js";

/** Whether the kind or the namespace of a manifest is made by another one of those it is applied with. */
export function comesWith(
  { apiVersion, kind, metadata }: KubeObject,
  manifests: readonly KubeObject[],
): boolean {
  return manifests.some((other) => {
    if (other.kind === "Namespace" && other.metadata.name === metadata.namespace) return true;
    if (other.kind !== "CustomResourceDefinition") return false;
    const { group, names } = (other as { spec?: { group?: string; names?: { kind?: string } } }).spec ?? {};
    return names?.kind === kind && group === parseApiVersion(apiVersion)?.group;
  });
}
