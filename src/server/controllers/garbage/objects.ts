import { isNotFound, type Json, type KubeObject, type OwnerReference } from "../../../model/core.js";
import { objectKeyOf } from "../../registry/keys.js";
import type { Caller } from "../../request/caller.js";
import type { ResourceType } from "../../resources/resource-type.js";

const fieldManager = "fettle-garbage-collector";

/** An object as it was just read. */
export interface CurrentObject {
  readonly key: string;
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export async function find(api: Caller, type: ResourceType, key: string): Promise<CurrentObject | undefined> {
  try {
    return { key, type, object: (await api.get(type, objectKeyOf(type, key))).object };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

// The writes below throw a 409 when the object has changed since it was read.

export async function deleteDependent(
  api: Caller,
  { key, type, object }: CurrentObject,
  policy: string,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const options = { propagationPolicy: policy, preconditions: { uid, resourceVersion } };
  await api.delete(type, objectKeyOf(type, key), options);
}

export async function setOwners(
  api: Caller,
  found: CurrentObject,
  owners: readonly OwnerReference[],
): Promise<void> {
  await patchMetadata(api, found, {
    ownerReferences: owners.length > 0 ? (owners as unknown as Json) : null,
  });
}

export async function removeFinalizer(api: Caller, found: CurrentObject, finalizer: string): Promise<void> {
  const { finalizers = [] } = found.object.metadata;
  await patchMetadata(api, found, { finalizers: finalizers.filter((each) => each !== finalizer) });
}

async function patchMetadata(
  api: Caller,
  { key, type, object }: CurrentObject,
  metadata: Record<string, Json>,
): Promise<void> {
  const { uid = "", resourceVersion = "" } = object.metadata;
  const body = { object: { metadata: { uid, resourceVersion, ...metadata } } };
  await api.patch(type, objectKeyOf(type, key), { type: "merge", body }, { fieldManager });
}
