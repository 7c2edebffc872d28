import { asApiError, isNotFound } from "../../model/core.js";
import type { KindInfo } from "../../client/kinds/kind.js";

/** An object is not there; says where it was looked for, and where else it could be. */
class AbsentError extends Error {
  override readonly name = "AbsentError";
}

type Searched = Pick<KindInfo, "plural" | "scope">;

/** The way out for who did not find an object, to be said behind the problem. */
export function elsewhere({ plural, scope }: Searched): string {
  return scope === "Cluster"
    ? `list them with: fettle get ${plural}`
    : `choose another namespace with -n, or list all with: fettle get ${plural} -A`;
}

/**
 * Has an object that is not there told with the namespace that was searched.
 *
 * @example
 * await client.get(kind, { name, namespace }, { signal }).catch(sayWhere(kind, namespace));
 */
export function sayWhere(kind: Searched, namespace: string | undefined): (error: unknown) => never {
  return (error) => {
    throw withWhere(error, kind, namespace);
  };
}

/** The same error, unless it is that an object is not there. Without a namespace, it says itself where was looked. */
export function withWhere(error: unknown, kind: Searched, namespace: string | undefined): unknown {
  const api = asApiError(error);
  if (api === undefined || !isNotFound(api)) return error;
  const where = kind.scope === "Cluster" || namespace === undefined ? "" : ` in namespace ${namespace}`;
  return new AbsentError(`${api.message}${where}; ${elsewhere(kind)}`, { cause: error });
}
