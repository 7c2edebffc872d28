import type { Client } from "../../client/client.js";
import type { KindInfo, UntypedObject } from "../../client/kinds/kind.js";
import type { SeenEvent } from "../output/event-rows.js";

/** Kubernetes' Event of the core group, which every server has. */
export const eventKind: KindInfo = { apiVersion: "v1", kind: "Event", plural: "events", scope: "Namespaced" };

/** The field selector for what happened to an object. */
export function aboutSelector(kind: string, name: string): string {
  return `involvedObject.kind=${kind},involvedObject.name=${name}`;
}

/** What happened to an object. Those of objects without a namespace may be in any. */
export async function eventsAbout(
  client: Client,
  { kind, metadata }: UntypedObject,
  signal?: AbortSignal,
): Promise<readonly SeenEvent[]> {
  const { name = "", namespace, uid } = metadata;
  const { items } = await client.list(eventKind, {
    namespace,
    fieldSelector: aboutSelector(kind, name),
    signal,
  });
  // Another object may have had the name before; who recorded no uid may have meant either.
  return items.filter(({ involvedObject }: SeenEvent) => !involvedObject?.uid || involvedObject.uid === uid);
}
