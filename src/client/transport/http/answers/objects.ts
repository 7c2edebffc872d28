import { deepFreeze, type KubeObject } from "../../../../model/core.js";
import type { KindInfo } from "../../../kinds/kind.js";
import { isGone } from "../../is-gone.js";
import { ConnectionError, type Page } from "../../transport.js";

type Fields = Record<string, unknown>;

/** What is asked for when only metadata is wanted, and what comes when a server cannot do that. */
export const acceptJson = "application/json";
export const acceptMetadata = `application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,${acceptJson}`;
export const acceptMetadataList = `application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,${acceptJson}`;

/** How objects of a kind are read. */
export interface Reading {
  readonly kind: KindInfo;
  readonly metadataOnly?: boolean | undefined;
}

/** An object as it was sent, frozen; with its own kind when only its metadata was. */
export function readObject(json: Fields, { kind, metadataOnly }: Reading): KubeObject {
  shareFields(json);
  return deepFreeze(metadataOnly === true ? metadataOf(json, kind) : (json as unknown as KubeObject));
}

/** A list, whose items say what they are also where the server leaves that to the list, as it does for built-in kinds. */
export function readPage(json: Fields, { kind, metadataOnly }: Reading): Page {
  const { items, metadata } = json as {
    items?: unknown;
    metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  };
  if (!Array.isArray(items) && items !== null && items !== undefined) {
    throw new ConnectionError(
      `the server answered a list of ${kind.plural} with items that are no list; is it a Kubernetes API?`,
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

/** Metadata comes as a kind of its own (or, from a server that does not know that, with all the rest). */
function metadataOf({ metadata }: Fields, { apiVersion, kind }: KindInfo): KubeObject {
  return { apiVersion, kind, metadata: metadata ?? {} };
}

/** The answer to a delete: the object while something keeps it, undefined when it is gone. */
export function readDeleted(json: Fields, kind: KindInfo): KubeObject | undefined {
  if (json.kind === "Status" && json.apiVersion === "v1") return undefined;
  const object = readObject(json, { kind });
  // Some kinds are answered with what they were when they are gone already.
  return object.metadata.deletionTimestamp && !isGone(object) ? object : undefined;
}

/** The kinds of an APIResourceList; subresources are listed with a slash in the name, and are none. */
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
