import type { KindInfo } from "../../client/kinds/kind.js";
import { asApiError, isNotFound } from "../../model/core.js";

/** A missing object, with the namespace that was searched and how to search elsewhere. */
class NotFoundError extends Error {
  override readonly name = "NotFoundError";
}

type SearchedKind = Pick<KindInfo, "plural" | "scope">;

/** Hint for a missing object, to be appended to the error. */
export function searchHint({ plural, scope }: SearchedKind): string {
  return scope === "Cluster"
    ? `list them with: fettle get ${plural}`
    : `choose another namespace with -n, or list all with: fettle get ${plural} -A`;
}

/**
 * Rethrows an error; a 404 with the searched namespace and a hint.
 *
 * @example
 * await client.get(kind, { name, namespace }, { signal }).catch(rethrowNotFound(kind, namespace));
 */
export function rethrowNotFound(
  kind: SearchedKind,
  namespace: string | undefined,
): (error: unknown) => never {
  return (error) => {
    throw explainNotFound(error, kind, namespace);
  };
}

/** Adds the searched namespace, if given, and a hint to a 404; returns other errors unchanged. */
export function explainNotFound(error: unknown, kind: SearchedKind, namespace: string | undefined): unknown {
  const api = asApiError(error);
  if (api === undefined || !isNotFound(api)) return error;
  const where = kind.scope === "Cluster" || namespace === undefined ? "" : ` in namespace ${namespace}`;
  return new NotFoundError(`${api.message}${where}; ${searchHint(kind)}`, { cause: error });
}
