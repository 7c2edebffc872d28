import type { KubeObject, ObjectMeta } from "../../model/core.js";
import type { ObjectResponse } from "../resources/stored-object.js";

/** The versions of `meta.k8s.io` in which Tables and metadata alone can be had. */
export type MetaVersion = "v1" | "v1beta1";

/** What a list says of itself. */
export interface ListMeta {
  readonly resourceVersion?: string | undefined;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/** An object without anything but its metadata. */
export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: `meta.k8s.io/${MetaVersion}`;
  readonly metadata: ObjectMeta;
}

/** What is answered for `as=PartialObjectMetadata`. */
export function partialObjectMetadata(
  { metadata }: KubeObject,
  version: MetaVersion = "v1",
): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** The JSON of what is answered for `as=PartialObjectMetadataList`. */
export function partialObjectMetadataList(
  answers: readonly ObjectResponse[],
  listMeta: ListMeta,
  version: MetaVersion = "v1",
): string {
  const start = JSON.stringify({
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: renderListMeta(listMeta),
  });
  const items = answers.map(({ object }) => JSON.stringify(partialObjectMetadata(object, version)));
  return `${start.slice(0, -1)},"items":[${items.join(",")}]}`;
}

/** Without what is empty, as Kubernetes sends it. */
export function renderListMeta(meta: ListMeta): ListMeta {
  const { resourceVersion, continue: next, remainingItemCount } = meta;
  return {
    ...(resourceVersion && { resourceVersion }),
    ...(next && { continue: next }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
