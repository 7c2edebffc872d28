import type { KubeObject } from "../../../model/core.js";
import { optimisticPatch, type PatchContext } from "./optimistic-patch.js";

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds or removes a finalizer, and keeps the others. */
export function setFinalizer(
  context: PatchContext,
  observed: KubeObject,
  finalizer: string,
  wanted: boolean,
): Promise<KubeObject | undefined> {
  return optimisticPatch(context, observed, (object) => {
    if (hasFinalizer(object, finalizer) === wanted) return undefined;
    // The server refuses new finalizers on an object that is being deleted.
    if (wanted && object.metadata.deletionTimestamp) return undefined;
    const others = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    return { metadata: { finalizers: wanted ? [...others, finalizer] : others } };
  });
}
