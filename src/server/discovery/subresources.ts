import type { ResourceType, Verb } from "../resources/resource-type.js";

/** What stands below `/apis/group/version/plural/name/`, and the kind that is read and written there. */
export interface SubresourceInfo {
  readonly name: "status" | "scale" | "finalize";
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

const readAndWrite: readonly Verb[] = ["get", "patch", "update"];

/** The kind of every `scale` subresource. */
export const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

/** A kind's subresources, by name. */
export function subresourcesOf(type: ResourceType): readonly SubresourceInfo[] {
  const { group, version, kind, subresources } = type;
  const own = { group, version, kind };
  return [
    ...(subresources.finalize ? [{ name: "finalize" as const, ...own, verbs: ["update" as const] }] : []),
    ...(subresources.scale ? [{ name: "scale" as const, ...scaleKind, verbs: readAndWrite }] : []),
    ...(subresources.status ? [{ name: "status" as const, ...own, verbs: readAndWrite }] : []),
  ];
}
