import type { GroupResource } from "../../model/core.js";
import type { ResourceType } from "../resources/resource-type.js";
import type { Scope, Target } from "./requests.js";

/** Where an object is stored. */
export function keyOf({ namespaced, storage }: ResourceType, { namespace, name }: Target): string {
  return namespaced ? `${storage.prefix}${namespace ?? ""}/${name}` : `${storage.prefix}${name}`;
}

/** What the keys of all objects in a scope start with. */
export function prefixOf({ namespaced, storage }: ResourceType, { namespace }: Scope): string {
  return namespaced && namespace !== undefined ? `${storage.prefix}${namespace}/` : storage.prefix;
}

/** The namespace and name that a key of this kind stands for. */
export function targetOf({ namespaced, storage }: ResourceType, key: string): Target {
  const rest = key.slice(storage.prefix.length);
  if (!namespaced) return { name: rest };
  const slash = rest.indexOf("/");
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}

/** How errors name a kind. */
export function resourceOf({ group, plural }: ResourceType): GroupResource {
  return { group, resource: plural };
}
