import { createMergePatch, type Json, type KubeObject } from "../../../model/core.js";
import { jsonEqual } from "../../../model/object/json.js";
import { optimisticPatch, type PatchContext } from "./optimistic-patch.js";
import type { MergeOptions, StatusDraft, StatusFields } from "./status-draft.js";

/**
 * Writes the status of a run in one request, or in none if nothing changed. Fields that others write stay: on a conflict the
 * status is read, and the draft merged into it again.
 */
export function writeStatus(
  context: PatchContext,
  observed: KubeObject,
  draft: StatusDraft,
  options: MergeOptions,
): Promise<KubeObject | undefined> {
  const change = (object: KubeObject): { readonly status: Json } | undefined => {
    const before = (object.status ?? {}) as StatusFields;
    const after = draft.mergeInto(before, options) as unknown as Json;
    if (jsonEqual(before as unknown as Json, after)) return undefined;
    return { status: createMergePatch(before as unknown as Json, after) };
  };
  return optimisticPatch(context, observed, change, "status");
}
