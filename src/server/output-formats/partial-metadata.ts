import type { KubeObject, ObjectMeta } from "../../model/core.js";
import type { ObjectResponse } from "../resources/stored-object.js";

/** Versions of `meta.k8s.io` for Table and PartialObjectMetadata. */
export type MetaVersion = "v1" | "v1beta1";

/** Metadata of a list. */
export interface ListMeta {
  readonly resourceVersion?: string | undefined;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

/** An object with its metadata only. */
export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: `meta.k8s.io/${MetaVersion}`;
  readonly metadata: ObjectMeta;
}

/** Body for `as=PartialObjectMetadata`. */
export function partialObjectMetadata(
  { metadata }: KubeObject,
  version: MetaVersion = "v1",
): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** JSON body for `as=PartialObjectMetadataList`. */
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

/** Omits empty fields, like Kubernetes. */
export function renderListMeta(meta: ListMeta): ListMeta {
  const { resourceVersion, continue: next, remainingItemCount } = meta;
  return {
    ...(resourceVersion && { resourceVersion }),
    ...(next && { continue: next }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
