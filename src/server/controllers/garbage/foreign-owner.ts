import {
  ApiError,
  formatTime,
  type Clock,
  type KubeObject,
  type OwnerReference,
} from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import type { Store } from "../../../store/index.js";
import { storeKey } from "../../registry/keys.js";
import { namespacePrefix } from "../../registry/namespaces.js";
import type { Caller } from "../../request/caller.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import type { CurrentObject } from "./objects.js";

const component = "garbage-collector-controller";

/** Finds out whether the owner exists in another namespace, from which it cannot own this object. */
export async function isOwnerElsewhere(
  store: Store,
  { object }: CurrentObject,
  owner: OwnerReference,
  ownerType: ResourceType,
): Promise<boolean> {
  if (!ownerType.namespaced) return false;
  const { entries } = await store.range({ prefix: namespacePrefix });
  for (const { key } of entries) {
    const namespace = key.slice(namespacePrefix.length);
    if (namespace === object.metadata.namespace) continue;
    const entry = await store.get(storeKey(ownerType, { namespace, name: owner.name }));
    const found = entry && (JSON.parse(Buffer.from(entry.value).toString()) as KubeObject);
    if (found?.metadata.uid === owner.uid) return true;
  }
  return false;
}

/** Records a warning event about an owner reference into another namespace. */
export async function warnOfForeignOwner(
  { api, types, clock }: { readonly api: Caller; readonly types: ResourceTypes; readonly clock: Clock },
  { object }: CurrentObject,
  owner: OwnerReference,
): Promise<void> {
  const type = types.find("", "v1", "events");
  if (type === undefined) return;
  const { apiVersion, kind, metadata } = object;
  const { name = "", namespace = "", uid = "" } = metadata;
  const now = formatTime(clock.now());
  const whom = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
  const event = {
    apiVersion: "v1",
    kind: "Event",
    // The same name on every server and after every start, so that it is recorded once.
    metadata: { name: `${name}.${owner.uid}` },
    involvedObject: { apiVersion, kind, name, uid, ...(namespace !== "" && { namespace }) },
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef ${whom} does not exist in namespace ${quote(namespace)}`,
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  try {
    const scope = { namespace: namespace === "" ? "default" : namespace };
    await api.create(type, scope, { object: event }, { fieldManager: component });
  } catch (error) {
    // The event exists already, or the namespace is terminating.
    if (!(error instanceof ApiError)) throw error;
  }
}
