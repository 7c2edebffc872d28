import { deepFreeze, type KubeObject } from "../../../../model/core.js";
import type { KindInfo } from "../../../kinds/kind.js";
import { isRemoved } from "../../is-removed.js";
import { ConnectionError, type Page } from "../../transport.js";

type Fields = Record<string, unknown>;

/** Accept headers; servers without metadata responses return whole objects. */
export const acceptJson = "application/json";
export const acceptMetadata = `application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,${acceptJson}`;
export const acceptMetadataList = `application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,${acceptJson}`;

/** Options of reading objects of a kind. */
export interface Reading {
  readonly kind: KindInfo;
  readonly metadataOnly?: boolean | undefined;
}

/** Object of a response, frozen. A metadata response gets the apiVersion and kind of its object. */
export function readObject(json: Fields, { kind, metadataOnly }: Reading): KubeObject {
  shareFields(json);
  return deepFreeze(metadataOnly === true ? metadataOf(json, kind) : (json as unknown as KubeObject));
}

/** Page of a list. Items get apiVersion and kind, which servers omit for built-in kinds. */
export function readPage(json: Fields, { kind, metadataOnly }: Reading): Page {
  const { items, metadata } = json as {
    items?: unknown;
    metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  };
  if (!Array.isArray(items) && items !== null && items !== undefined) {
    throw new ConnectionError(
      `the server returned a list of ${kind.plural} whose items are not an array; is it a Kubernetes API?`,
    );
  }
  const objects = ((items ?? []) as Fields[]).map((item) => {
    shareFields(item);
    if (metadataOnly === true) return metadataOf(item, kind);
    item.apiVersion ??= kind.apiVersion;
    item.kind ??= kind.kind;
    return item as unknown as KubeObject;
  });
  return deepFreeze({
    items: objects,
    resourceVersion: metadata?.resourceVersion ?? "",
    ...(metadata?.continue && { continue: metadata.continue }),
    ...(metadata?.remainingItemCount !== undefined && { remainingItemCount: metadata.remainingItemCount }),
  });
}

function metadataOf({ metadata }: Fields, { apiVersion, kind }: KindInfo): KubeObject {
  return { apiVersion, kind, metadata: metadata ?? {} };
}

/** Object of the response to a delete; undefined when the object is gone. */
export function readDeleted(json: Fields, kind: KindInfo): KubeObject | undefined {
  if (json.kind === "Status" && json.apiVersion === "v1") return undefined;
  const object = readObject(json, { kind });
  // For some kinds the server returns the object although it is gone.
  return object.metadata.deletionTimestamp && !isRemoved(object) ? object : undefined;
}

/** Kinds of an APIResourceList, without subresources, whose names have a slash. */
export function readKinds(json: Fields, apiVersion: string): readonly KindInfo[] {
  const resources = (json.resources ?? []) as readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
  return deepFreeze(
    resources
      .filter(({ name }) => !name.includes("/"))
      .map(({ name, kind, namespaced }) => ({
        apiVersion,
        kind,
        plural: name,
        scope: namespaced ? "Namespaced" : "Cluster",
      })),
  );
}

/** Distinct sets that {@link shareFields} keeps; when there are more, it starts over. */
const maxSharedFields = 1000;

const sharedFields = new Map<string, object>();

/**
 * Keeps equal sets of managed fields in memory once. The same managers write the same fields of most objects of a kind;
 * without sharing, these sets are more than half of an informer's memory.
 */
function shareFields(object: Record<string, unknown>): void {
  const { managedFields } = (object["metadata"] ?? {}) as { readonly managedFields?: unknown };
  if (!Array.isArray(managedFields)) return;
  for (const entry of managedFields as ({ fieldsV1?: unknown } | null)[]) {
    if (typeof entry?.fieldsV1 !== "object" || entry.fieldsV1 === null) continue;
    const text = JSON.stringify(entry.fieldsV1);
    const shared = sharedFields.get(text);
    if (shared !== undefined) entry.fieldsV1 = shared;
    else {
      if (sharedFields.size >= maxSharedFields) sharedFields.clear();
      sharedFields.set(text, entry.fieldsV1);
    }
  }
}
