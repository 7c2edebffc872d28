import type { GroupResource } from "../../model/core.js";
import type { ObjectKey, Scope } from "../../model/object/object-key.js";
import type { ResourceType } from "../resources/resource-type.js";

/** Prefix of keys that are not objects: values that objects claim for themselves alone. */
export const claimPrefix = "/claims/";

/** Prefix of keys that are not objects: events, state and cursors of a control plane. */
const internalPrefix = "/fettle/";

/** True for keys of objects, whose first two segments are group and plural. */
export function isObjectKey(key: string): boolean {
  return !key.startsWith(claimPrefix) && !key.startsWith(internalPrefix);
}

/** Store key of an object. */
export function storeKey({ namespaced, storage }: ResourceType, { namespace, name }: ObjectKey): string {
  return namespaced ? `${storage.prefix}${namespace ?? ""}/${name}` : `${storage.prefix}${name}`;
}

/** Prefix of the store keys of all objects in a scope. */
export function prefixOf({ namespaced, storage }: ResourceType, { namespace }: Scope): string {
  return namespaced && namespace !== undefined ? `${storage.prefix}${namespace}/` : storage.prefix;
}

/** Namespace and name of the object at a store key. */
export function objectKeyOf({ namespaced, storage }: ResourceType, key: string): ObjectKey {
  const rest = key.slice(storage.prefix.length);
  if (!namespaced) return { name: rest };
  const slash = rest.indexOf("/");
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}

/** Name of a kind in errors. */
export function resourceOf({ group, plural }: ResourceType): GroupResource {
  return { group, resource: plural };
}
