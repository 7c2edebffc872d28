import { failures, type Json, type KubeObject, type ObjectMeta } from "../../../model/core.js";
import { countFields } from "../../../model/object/json.js";
import type { Entry } from "../../../store/index.js";
import type { User } from "../../access/user.js";
import { contentLength, encodeStored } from "../../resources/encode-stored.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { claimMutations } from "./claims.js";
import { copyJson } from "./copy-json.js";

/** Stored object that a write replaces. */
export interface Replaced {
  readonly revision: number;
  /** Size as it is stored, without the name of its writer: another user may write the same object. Infinity for no limits. */
  readonly bytes: number;
  /** Undefined for a create. */
  readonly object: KubeObject | undefined;
}

/** Stands for the object that a create replaces. */
export const nothing: Replaced = { revision: 0, bytes: 0, object: undefined };

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
 * Encodes an object for the store.
 *
 * @throws {ApiError} 413 if it exceeds a limit. One that does not grow is accepted: it was stored under another limit, and it must
 *   be possible to shrink it and to remove its finalizers.
 */
export function encodeWithinLimit(
  { maxObjectBytes, maxObjectFields }: ObjectLimits,
  type: ResourceType,
  object: Draft,
  replaced: Replaced,
  user: string,
): Uint8Array {
  const value = encodeStored(type, toStorageVersion(type, object), user);
  // A list item takes up at least two bytes.
  if (value.length > 2 * maxObjectFields && replaced.bytes < Infinity)
    checkFields(maxObjectFields, type, object, replaced);
  const size = contentLength(type, value);
  if (size <= Math.max(maxObjectBytes, replaced.bytes)) return value;
  const { name, managedFields } = object.metadata as { name?: string; managedFields?: unknown };
  const managed = managedFields === undefined ? 0 : Buffer.byteLength(JSON.stringify(managedFields));
  throw failures.requestEntityTooLarge(
    `${type.kind} ${JSON.stringify(name ?? "")} would take up ${size} bytes, ${managed} of them managedFields, ` +
      `and the limit is ${maxObjectBytes}: store less in it, or split it into several objects`,
  );
}

type ObjectLimits = Pick<RegistryContext, "maxObjectBytes" | "maxObjectFields">;

/** @throws {ApiError} 413 for an object with too many fields, and with more than the one it replaces. */
function checkFields(limit: number, { kind }: ResourceType, object: Draft, { object: old }: Replaced): void {
  const count = countFields(object, limit);
  if (count <= limit || (old !== undefined && countFields(object) <= countFields(old as unknown as Json)))
    return;
  throw failures.requestEntityTooLarge(
    `${kind} ${JSON.stringify((object.metadata as ObjectMeta).name ?? "")} would have more than ${limit} fields and list items, ` +
      "managedFields included: store less in it, or split it into several objects",
  );
}

/**
 * Refuses an object that exceeds a limit without its managedFields, before the expensive computation of these. `bytes` is the
 * size of the request or of the stored object, by which most objects need no look.
 *
 * @throws {ApiError} 413
 */
export function checkSizeEarly(
  context: ObjectLimits,
  type: ResourceType,
  object: Draft,
  replaced: Replaced,
  bytes: number,
): void {
  if (bytes < Math.min(context.maxObjectBytes / 2, 2 * context.maxObjectFields)) return;
  const { managedFields: _, ...metadata } = object.metadata;
  const content = { ...object, metadata };
  checkFields(context.maxObjectFields, type, content, replaced);
  if (bytes >= context.maxObjectBytes / 2) encodeWithinLimit(context, type, content, replaced, "");
}

/**
 * Encodes an object as written by a user and commits it with what it holds, if the store still has the revision that it was made
 * from.
 *
 * @throws {Conflict} when the store has another revision; and everything that stores throw.
 */
export async function commitObject(
  context: RegistryContext,
  type: ResourceType,
  key: string,
  object: Draft,
  replaced: Replaced,
  user: User,
): Promise<StoredObject> {
  const { store, objects } = context;
  const value = encodeWithinLimit(context, type, object, replaced, user.name);
  const { revision: expect } = replaced;
  objects.writing(type, key, value, object);
  const put = { type: "put", key, value, expect, ttl: type.strategy.ttl } as const;
  const { revision } = await store.commit([put, ...claimMutations(type, key, replaced.object, object)]);
  return objects.get(type, { key, value, revision });
}

function toStorageVersion({ storage }: ResourceType, object: Draft): Draft {
  return storage.conversion?.toStorage(copyJson(object)) ?? object;
}
