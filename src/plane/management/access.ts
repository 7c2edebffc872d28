import type { Client } from "../../client/client.js";
import type { KindInfo } from "../../client/kinds/kind.js";
import { isNotFound, parseApiVersion } from "../../model/core.js";
import type { ObjectKey } from "../../model/object/object-key.js";
import type { Attributes, User } from "../../server/index.js";

/** The API on behalf of the users of the management API. */
export interface UserAccess {
  /** Client whose requests are made as a user. */
  clientAs(user: User): Client;
  /** @throws {ApiError} 403 */
  checkAccess(attributes: Attributes): Promise<void> | undefined;
}

type Verb = "get" | "list" | "watch";
type Target = Attributes["resource"];

// The server has authorized the path of a request. Endpoints that read objects from the store check that the user may read those
// objects, too.

/** @throws {ApiError} 403 unless the user may read an object. */
export async function checkRead(
  api: UserAccess,
  user: User,
  { apiVersion, plural, scope }: KindInfo,
  { namespace, name }: ObjectKey,
): Promise<void> {
  const { group = "", version = "" } = parseApiVersion(apiVersion) ?? {};
  const within = scope === "Namespaced" ? namespace : undefined;
  const resource: Target = { group, version, resource: plural, namespace: within, name };
  await api.checkAccess({ user, verb: "get", path: "", resource });
}

/** @throws {ApiError} 403 unless the user may read all objects of all kinds. */
export async function checkReadAll(api: UserAccess, user: User, ...verbs: readonly Verb[]): Promise<void> {
  const resource: Target = { group: "*", version: "*", resource: "*" };
  for (const verb of verbs) await api.checkAccess({ user, verb, path: "", resource });
}

/**
 * Checks access to all objects of one kind. A kind that is not served any more, or only half named, takes access to all kinds.
 *
 * @throws {ApiError} 403
 */
export async function checkReadKind(
  api: UserAccess,
  user: User,
  { apiVersion, kind }: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined },
  ...verbs: readonly Verb[]
): Promise<void> {
  const info = apiVersion && kind ? await servedKind(api.clientAs(user), { apiVersion, kind }) : undefined;
  if (info === undefined) return checkReadAll(api, user, ...verbs);
  const { group = "", version = "" } = parseApiVersion(info.apiVersion) ?? {};
  const resource: Target = { group, version, resource: info.plural };
  for (const verb of verbs) await api.checkAccess({ user, verb, path: "", resource });
}

async function servedKind(
  client: Client,
  kind: { readonly apiVersion: string; readonly kind: string },
): Promise<KindInfo | undefined> {
  try {
    return await client.kind(kind);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** @throws {ApiError} 403 unless the user may do anything: the memory of the process has keys and tokens of all users. */
export async function checkAdministrator(api: UserAccess, user: User): Promise<void> {
  const resource: Target = { group: "*", version: "*", resource: "*" };
  await api.checkAccess({ user, verb: "*", path: "", resource });
}

/** @throws {ApiError} 403 unless the user may read Secrets in all namespaces. */
export async function checkReveal(api: UserAccess, user: User): Promise<void> {
  const resource: Target = { group: "", version: "v1", resource: "secrets" };
  await api.checkAccess({ user, verb: "list", path: "", resource });
}
