import { isNotFound, type Json, type KubeObject, type OwnerReference } from "../../../model/core.js";
import { targetOf } from "../../registry/keys.js";
import type { Registry } from "../../registry/registry.js";
import type { ResourceType } from "../../resources/resource-type.js";

const fieldManager = "fettle-garbage-collector";

/** An object as it was read just now. */
export interface Found {
  readonly key: string;
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export async function find(registry: Registry, type: ResourceType, key: string): Promise<Found | undefined> {
  try {
    return { key, type, object: (await registry.get(type, targetOf(type, key))).object };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

// The writes below throw a Conflict when the object is no longer as it was found.

export async function remove(
  registry: Registry,
  { key, type, object }: Found,
  policy: string,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const options = { propagationPolicy: policy, preconditions: { uid, resourceVersion } };
  await registry.delete(type, targetOf(type, key), options);
}

export async function setOwners(
  registry: Registry,
  found: Found,
  owners: readonly OwnerReference[],
): Promise<void> {
  await patchMetadata(registry, found, {
    ownerReferences: owners.length > 0 ? (owners as unknown as Json) : null,
  });
}

export async function removeFinalizer(registry: Registry, found: Found, finalizer: string): Promise<void> {
  const { finalizers = [] } = found.object.metadata;
  await patchMetadata(registry, found, { finalizers: finalizers.filter((each) => each !== finalizer) });
}

async function patchMetadata(
  registry: Registry,
  { key, type, object }: Found,
  metadata: Record<string, Json>,
): Promise<void> {
  const { uid = "", resourceVersion = "" } = object.metadata;
  const body = { object: { metadata: { uid, resourceVersion, ...metadata } } };
  await registry.patch(type, targetOf(type, key), { type: "merge", body }, { fieldManager });
}
