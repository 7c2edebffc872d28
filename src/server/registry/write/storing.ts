import { rememberDraft } from "../../resources/fresh-drafts.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { encodeStored, type StoredObject, storedObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import { copyOf } from "./copy.js";

/**
 * Stores an object where the store has another version of it, or 0 for none.
 *
 * @throws {Conflict} when the store has something else there; and all that stores throw.
 */
export async function put(
  { store }: Context,
  type: ResourceType,
  key: string,
  object: Draft,
  expect: number,
): Promise<StoredObject> {
  const value = encodeStored(type, toStorage(type, object));
  if (!type.builtIn && type.storage.conversion === undefined) rememberDraft(value, type, object);
  const { revision } = await store.commit([{ type: "put", key, value, expect, ttl: type.strategy.ttl }]);
  return storedObject(type, { value, revision });
}

/** What the object is in the storage version of its kind. */
function toStorage({ storage }: ResourceType, object: Draft): Draft {
  return storage.conversion?.toStorage(copyOf(object)) ?? object;
}
