import type { KubeObject, ObjectMeta } from "../model/core.js";
import type { AnyKind, KindInfo, KindReference } from "./kinds/kind.js";
import type { WriteOptions } from "./transport/transport.js";
import type { ObjectKey } from "../model/object/object-key.js";
import { formatKind } from "./object-ref.js";

/** Body of a write before it is validated. */
export interface Sent extends Partial<KindReference> {
  readonly metadata?: ObjectMeta | undefined;
  readonly [field: string]: unknown;
}

/** Adds apiVersion and kind to a body. */
export function bodyOf(
  info: KindReference,
  sent: Sent,
): Sent & KindReference & { readonly metadata: ObjectMeta } {
  const { apiVersion = info.apiVersion, kind = info.kind, metadata, ...rest } = sent;
  if (apiVersion !== info.apiVersion || kind !== info.kind) {
    throw new TypeError(`the object is a ${formatKind({ apiVersion, kind })}, and not a ${formatKind(info)}`);
  }
  if (metadata === undefined || metadata === null) {
    throw new TypeError(
      `${formatKind(info)}: the object has no metadata; give it at least { metadata: { name } }`,
    );
  }
  return { apiVersion, kind, metadata, ...rest };
}

/** Adds apiVersion, kind, name and namespace to the body of an existing object. */
export function namedBodyOf(info: KindInfo, target: ObjectKey, sent: Sent): ReturnType<typeof bodyOf> {
  const body = bodyOf(info, sent.metadata === undefined ? { ...sent, metadata: {} } : sent);
  const { name = target.name, namespace = target.namespace } = body.metadata;
  if (name !== target.name || (namespace !== target.namespace && info.scope === "Namespaced")) {
    const asked = `${formatKind(info)} ${pathOf(target)}`;
    throw new TypeError(`${asked} was to be changed, and has become ${pathOf({ name, namespace })}`);
  }
  if (body.metadata.name !== undefined && body.metadata.namespace === namespace) return body;
  return { ...body, metadata: { ...body.metadata, name, ...(namespace !== undefined && { namespace }) } };
}

/** Parses the overloads `(kind, draft, options)` and `(manifest, options)`: only a draft has metadata. */
export function readArguments<Options extends WriteOptions>(
  verb: string,
  first: AnyKind,
  second: unknown,
  third: Options | undefined,
): { readonly kind: AnyKind; readonly sent: Sent; readonly options: Options | undefined } {
  if (typeof second === "object" && second !== null && "metadata" in second) {
    return { kind: first, sent: second as Sent, options: third };
  }
  if (typeof first === "string" || !("metadata" in first)) {
    throw new TypeError(`${verb}: the object has no metadata; give it at least { metadata: { name } }`);
  }
  const { apiVersion, kind } = first;
  return { kind: { apiVersion, kind }, sent: first as Sent, options: second as Options | undefined };
}

/**
 * Completes a body with the server's fields that a change left out: the resourceVersion, so that a concurrent change is a
 * conflict, and the status, so that an unchanged object is recognised as such.
 */
export function withOrigin(body: ReturnType<typeof bodyOf>, live: KubeObject): Sent {
  const { uid, resourceVersion, generation, creationTimestamp, managedFields } = live.metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds } = live.metadata;
  const origin = {
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    managedFields,
    deletionTimestamp,
    deletionGracePeriodSeconds,
  };
  const metadata = {
    ...Object.fromEntries(Object.entries(origin).filter(([, value]) => value !== undefined)),
    ...body.metadata,
  };
  const status = live.status !== undefined && !("status" in body) ? { status: live.status } : {};
  return { ...body, ...status, metadata };
}

function pathOf({ namespace, name }: ObjectKey): string {
  return JSON.stringify(namespace === undefined ? name : `${namespace}/${name}`);
}
