import { formatTime, newUid, type Json, type KubeObject, type ObjectMeta } from "../../../model/core.js";
import { jsonEqual } from "../../../model/object/json.js";
import type { Draft, ResourceType } from "../../resources/resource-type.js";
import type { RegistryContext } from "../context.js";

/** Sets the metadata of a new object that only the server decides. */
export function stampCreation(
  { clock, random }: RegistryContext,
  { strategy }: ResourceType,
  { metadata }: Draft,
): void {
  drop(metadata, "deletionTimestamp");
  drop(metadata, "deletionGracePeriodSeconds");
  drop(metadata, "selfLink");
  drop(metadata, "resourceVersion");
  metadata["uid"] = newUid(random);
  metadata["creationTimestamp"] = formatTime(clock.now());
  if (strategy.generation) metadata["generation"] = 1;
  else drop(metadata, "generation");
}

/** Restores the metadata that clients may omit or cannot change. Other changes of identity are left to validation. */
export function stampUpdate({ metadata }: Draft, live: KubeObject): void {
  const keep = (field: keyof ObjectMeta): void => {
    if (live.metadata[field] === undefined) drop(metadata, field);
    else metadata[field] = live.metadata[field];
  };
  drop(metadata, "selfLink");
  keep("generation");
  keep("creationTimestamp");
  metadata["uid"] ||= live.metadata.uid;
  if (live.metadata.deletionTimestamp) keep("deletionTimestamp");
  if (metadata["deletionGracePeriodSeconds"] === undefined) keep("deletionGracePeriodSeconds");
}

/** Increments the generation when the desired state changed. */
export function countGeneration(type: ResourceType, updated: Draft, live: KubeObject): void {
  if (!type.strategy.generation || !desiredStateChanged(type, updated, live)) return;
  updated.metadata["generation"] = (live.metadata.generation ?? 0) + 1;
}

/** Anything but metadata changed, and status where it is a subresource. */
function desiredStateChanged(type: ResourceType, updated: Draft, live: KubeObject): boolean {
  const before = live as unknown as Record<string, Json>;
  const after = updated as Record<string, Json>;
  const isDesired = (field: string): boolean => {
    if (field === "metadata" || field === "apiVersion" || field === "kind") return false;
    return field !== "status" || !type.subresources.status;
  };
  for (const field in after) {
    const left = before[field];
    const right = after[field];
    if (left === right || !isDesired(field)) continue;
    if (left === undefined || right === undefined || !jsonEqual(left, right)) return true;
  }
  for (const field in before) if (after[field] === undefined && isDesired(field)) return true;
  return false;
}

/** Removes a field. The check first is cheaper than deleting a field that is absent. */
function drop(metadata: Draft["metadata"], field: keyof ObjectMeta | "selfLink"): void {
  if (field in metadata) delete metadata[field];
}

/** The resourceVersion that a write is for; undefined when it is for any. */
export function requestedVersion(metadata: Draft["metadata"]): string | undefined {
  const version = metadata["resourceVersion"] as string | undefined;
  return version && version !== "0" ? version : undefined;
}
