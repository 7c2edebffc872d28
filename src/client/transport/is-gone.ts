import type { KubeObject } from "../../model/core.js";

/** Whether an object that a server answered with is not there any more: it was to be deleted, and nothing keeps it. */
export function isGone({ metadata, spec }: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  if (!deletionTimestamp) return false;
  // A namespace has its own beside those that all have.
  const others = (spec as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
  return finalizers.length === 0 && others.length === 0 && deletionGracePeriodSeconds === 0;
}
