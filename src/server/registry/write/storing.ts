import { encodeStatus, encodeStored } from "../../resources/encode-stored.js";
import { rememberDraft } from "../../resources/fresh-drafts.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { type StoredObject, storedObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import { copyOf } from "./copy.js";

/**
 * Stores an object where the store has another version of it, or 0 for none. `live` is that version where the status alone
 * was written.
 *
 * @throws {Conflict} when the store has something else there; and all that stores throw.
 */
export async function put(
  { store }: Context,
  type: ResourceType,
  key: string,
  object: Draft,
  expect: number,
  live?: StoredObject,
): Promise<StoredObject> {
  const status = live?.isTidy ? encodeStatus(type, object, live) : undefined;
  const value = status ?? encodeStored(type, toStorage(type, object));
  if (type.capabilities.decoding === "unstructured" && type.storage.conversion === undefined)
    rememberDraft(value, type, object);
  const { revision } = await store.commit([{ type: "put", key, value, expect, ttl: type.strategy.ttl }]);
  return storedObject(type, { value, revision });
}

/** What the object is in the storage version of its kind. */
function toStorage({ storage }: ResourceType, object: Draft): Draft {
  return storage.conversion?.toStorage(copyOf(object)) ?? object;
}
