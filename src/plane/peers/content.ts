import { createHash } from "node:crypto";
import type { Json, KubeObject } from "../../model/core.js";
import { canonicalJson } from "../../model/apply/fields/canonical-json.js";
import { isJsonObject, type JsonObject } from "../../model/object/json.js";
import { pausedAnnotation } from "../../runtime/controller/paused.js";
import { isSyncAnnotation } from "./sync-record.js";

/** Annotations that describe an object on one plane only, besides those of the synchronisation. */
const localAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  pausedAnnotation,
]);

const headerFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Part of an object that planes synchronise. */
export interface SyncedContent {
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  /** Everything besides apiVersion, kind, metadata and status: `spec`, `data` and so on. */
  readonly fields: JsonObject;
}

/** True for an annotation that stays on its plane. */
export function isLocalAnnotation(name: string): boolean {
  return localAnnotations.has(name) || isSyncAnnotation(name);
}

/** Content of an object, without what is different on each plane: uid, versions, finalizers, owners, managers, status. */
export function contentOf(object: KubeObject): SyncedContent {
  const { labels = {}, annotations = {} } = object.metadata;
  return {
    labels,
    annotations: withoutFields(annotations, isLocalAnnotation),
    fields: withoutFields(object as unknown as JsonObject, (field) => headerFields.has(field)),
  };
}

/**
 * Object with the content of another. Everything that stays on its plane is kept; without a `local` object, the result is a draft for
 * a new one.
 */
export function withContent(
  { fields, labels, annotations }: SyncedContent,
  header: Pick<KubeObject, "apiVersion" | "kind">,
  local: KubeObject | undefined,
  key: { readonly name: string; readonly namespace?: string | undefined },
  syncAnnotations: Readonly<Record<string, string>>,
): KubeObject {
  const { name, namespace } = key;
  const kept = withoutFields(local?.metadata.annotations ?? {}, (each) => !localAnnotations.has(each));
  const metadata = {
    ...(local?.metadata ?? { name, ...(namespace !== undefined && { namespace }) }),
    labels: labels as Record<string, string>,
    annotations: { ...annotations, ...kept, ...syncAnnotations } as Record<string, string>,
  };
  return {
    apiVersion: header.apiVersion,
    kind: header.kind,
    metadata,
    ...fields,
    ...(local?.status !== undefined && { status: local.status }),
  };
}

/** Hash of a value; the order of fields does not matter. */
export function hashOf(value: SyncedContent | Json): string {
  return createHash("sha256")
    .update(canonicalJson(value as unknown as Json))
    .digest("base64url")
    .slice(0, 22);
}

function withoutFields(object: JsonObject, isLeftOut: (field: string) => boolean): JsonObject {
  if (!isJsonObject(object)) return {};
  return Object.fromEntries(
    Object.entries(object).filter(([field, value]) => value !== undefined && !isLeftOut(field)),
  );
}
