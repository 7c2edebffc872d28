import type { ResourceType, Verb } from "../resources/resource-type.js";

/** Subresource and the kind of its body. */
export interface SubresourceInfo {
  readonly name: "status" | "scale" | "finalize";
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

const readAndWrite: readonly Verb[] = ["get", "patch", "update"];

/** Kind of all `scale` subresources. */
export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

/** Subresources of a kind, sorted by name. */
export function subresourcesOf(type: ResourceType): readonly SubresourceInfo[] {
  const { group, version, kind, subresources } = type;
  const own = { group, version, kind };
  return [
    ...(subresources.finalize ? [{ name: "finalize" as const, ...own, verbs: ["update" as const] }] : []),
    ...(subresources.scale ? [{ name: "scale" as const, ...scaleKind, verbs: readAndWrite }] : []),
    ...(subresources.status ? [{ name: "status" as const, ...own, verbs: readAndWrite }] : []),
  ];
}
