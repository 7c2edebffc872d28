import type { User } from "../../access/user.js";
import { encodeStored } from "../../resources/encode-stored.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { copyJson } from "./copy-json.js";

/**
 * Encodes an object as written by a user and commits it, if the store still has the revision that it was made from (0: no object).
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
): Promise<StoredObject> {
  const value = encodeStored(type, toStorageVersion(type, object), user.name);
  objects.writing(type, key, value, object);
  const { revision } = await store.commit([{ type: "put", key, value, expect, ttl: type.strategy.ttl }]);
  return objects.get(type, { key, value, revision });
}

function toStorageVersion({ storage }: ResourceType, object: Draft): Draft {
  return storage.conversion?.toStorage(copyJson(object)) ?? object;
}
