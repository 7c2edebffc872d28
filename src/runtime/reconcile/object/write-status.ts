import { createMergePatch, type Clock, type Json, type KubeObject } from "../../../model/core.js";
import { jsonEqual } from "../../../model/patch/json-equal.js";
import { optimisticPatch, type PatchContext } from "./optimistic-patch.js";
import type { StatusDraft, StatusFields } from "./status-draft.js";

/**
 * Writes what a run has to say, in one request, or none when nothing changed. Whoever else writes the status is not
 * overwritten: then it is read again and this laid over it.
 */
export function writeStatus(
  context: PatchContext,
  observed: KubeObject,
  draft: StatusDraft,
  clock: Clock,
): Promise<KubeObject | undefined> {
  const { generation } = observed.metadata;
  const change = (object: KubeObject): { readonly status: Json } | undefined => {
    const before = (object.status ?? {}) as StatusFields;
    const after = draft.over(before, generation, clock) as unknown as Json;
    if (jsonEqual(before as unknown as Json, after)) return undefined;
    return { status: createMergePatch(before as unknown as Json, after) };
  };
  return optimisticPatch(context, observed, change, "status");
}
