import type { KubeObject } from "../../../model/core.js";
import type { Entry } from "../../../store/index.js";
import type { User } from "../../access/user.js";
import { encodeStored } from "../../resources/encode-stored.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { claimMutations } from "./claims.js";
import { copyJson } from "./copy-json.js";

/** Removes an object and frees what it holds. Returns its last state, at the revision of the removal. */
export async function commitRemoval(
  { store }: RegistryContext,
  type: ResourceType,
  entry: Entry,
  live: KubeObject,
): Promise<StoredObject> {
  const { key, revision: expect } = entry;
  const removal = { type: "delete", key, expect } as const;
  const { revision } = await store.commit([removal, ...claimMutations(type, key, live, undefined)]);
  return new StoredObject(type, entry, revision);
}

/**
 * Encodes an object as written by a user and commits it with what it holds, if the store still has the revision that it was made
 * from (0: no object). `live` is that revision.
 *
 * @throws {Conflict} when the store has another revision; and everything that stores throw.
 */
export async function commitObject(
  { store, objects }: RegistryContext,
  type: ResourceType,
  key: string,
  object: Draft,
  expect: number,
  user: User,
  live?: KubeObject,
): Promise<StoredObject> {
  const value = encodeStored(type, toStorageVersion(type, object), user.name);
  objects.writing(type, key, value, object);
  const put = { type: "put", key, value, expect, ttl: type.strategy.ttl } as const;
  const { revision } = await store.commit([put, ...claimMutations(type, key, live, object)]);
  return objects.get(type, { key, value, revision });
}

function toStorageVersion({ storage }: ResourceType, object: Draft): Draft {
  return storage.conversion?.toStorage(copyJson(object)) ?? object;
}
