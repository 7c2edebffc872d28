import type { KubeObject } from "../../model/core.js";

/** True if the returned object has been removed: it was deleted, and no finalizer or grace period remains. */
export function isRemoved({ metadata, spec }: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  if (!deletionTimestamp) return false;
  // Namespaces have finalizers in their spec, too.
  const others = (spec as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
  return finalizers.length === 0 && others.length === 0 && deletionGracePeriodSeconds === 0;
}
