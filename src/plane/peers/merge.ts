import { compareResourceVersions } from "../../client/informer/cache/resource-version.js";
import type { KubeObject } from "../../model/core.js";
import { withContent } from "./content.js";
import { compareStamps, editHash, includes, type ObjectVersion } from "./object-version.js";
import {
  placeOf,
  syncAnnotations,
  type EditStamp,
  type ObjectOrigin,
  type SyncRecord,
} from "./sync-record.js";

/*
 * Decisions of the synchronisation, without I/O. A plane pulls: for each object it compares its own version with that of one peer,
 * and changes only its own. Two questions are independent of each other.
 *
 * Existence. Every object has an origin, the plane where it was created, and only the origin deletes it. A copy records the path of
 * planes by which it came; the last one supports it. When the supporting plane no longer has the object, the copy is deleted. No
 * plane accepts an object whose path it is part of, so that copies cannot support each other in a circle after the original is gone.
 *
 * Content. Edits are totally ordered by their stamps. `newest-wins` changes an object only to a later edit, whoever made it, so all
 * planes end with the same one and then stop writing. `source-wins` changes a copy to the content of its supporting plane only.
 */

/**
 * Kind of a conflict. `Edited`: two planes edited the object, neither knowing of the other edit; with `source-wins`, a copy was
 * edited. `NameTaken`: two planes created objects of the same name. `Deleted`: the origin deleted an object that was edited here.
 * `FieldOwned`: somebody here owns a field that the peer sets to another value. `SchemaDiffers`: the server here refused or changed
 * the content, so the definitions of the kind differ.
 */
export type ConflictReason = "Edited" | "NameTaken" | "Deleted" | "FieldOwned" | "SchemaDiffers";

/** A conflict, and the side whose content the object has afterwards. */
export interface MergeConflict {
  readonly reason: ConflictReason;
  readonly kept: "ours" | "theirs";
}

/** One object here and at a peer. */
export interface MergeSituation {
  /** Id of this plane. */
  readonly here: string;
  /** Id of the peer. */
  readonly peer: string;
  /** Ids of all peers of this plane that the kind is pulled from. */
  readonly peers: ReadonlySet<string>;
  /** True if the ids of all configured peers are known, so that copies of other planes are orphans. */
  readonly areAllKnown: boolean;
  readonly local: ObjectVersion | undefined;
  readonly remote: ObjectVersion | undefined;
}

/** What this plane does with its object. */
export type MergeDecision =
  | { readonly action: "none"; readonly conflict?: MergeConflict | undefined }
  | { readonly action: "delete"; readonly conflict?: MergeConflict | undefined }
  | {
      readonly action: "create" | "update";
      /** Side whose content is written; "ours" writes the record only. */
      readonly content: "ours" | "theirs";
      readonly record: SyncRecord;
      /** Undefined for an object that was created here. */
      readonly origin: ObjectOrigin | undefined;
      readonly conflict?: MergeConflict | undefined;
    };

/** Longest path of a copy. */
const maxHops = 16;

const none: MergeDecision = { action: "none" };

/** Decides about one object. */
export function decide(situation: MergeSituation, policy: "newest-wins" | "source-wins"): MergeDecision {
  const existence = decideExistence(situation);
  if (existence.verdict === "decided") return existence.decision;
  const { local, remote, support } = existence;
  return policy === "source-wins"
    ? decideBySource(situation, local, remote, support)
    : decideByTime(situation, local, remote, support);
}

/** Outcome of {@link decideExistence}: a decision, or two objects whose contents are to be compared. */
export type Existence =
  | { readonly verdict: "decided"; readonly decision: MergeDecision }
  | {
      readonly verdict: "both";
      readonly local: ObjectVersion;
      readonly remote: ObjectVersion;
      /** Path that the copy has from now on, if the peer supports it; undefined otherwise. */
      readonly support: readonly string[] | undefined;
    };

/** Decides whether the object should exist here. */
export function decideExistence(situation: MergeSituation): Existence {
  const { here, peer, local, remote } = situation;
  const decided = (decision: MergeDecision): Existence => ({ verdict: "decided", decision });
  const isSupported = local !== undefined && local.path.at(-1) === peer;
  if (remote === undefined || remote.isDeleting) {
    return decided(isSupported && !local.isDeleting ? deletion(local) : none);
  }
  const path = [...remote.path, peer];
  if (local === undefined) {
    return decided(canCreate(situation, remote) ? creation(remote, path, here) : none);
  }
  if (local.isDeleting) return decided(none);
  // The original was replaced by another object of the same name. The copy is deleted, and then created again.
  if (isSupported && !hasSameOrigin(local, remote)) return decided(deletion(local));
  // An old copy of an object that was deleted here and created again. The peer will notice.
  if (remote.origin.plane === here && !hasSameOrigin(local, remote)) return decided(none);
  const isFollowed =
    remote.origin.plane !== here &&
    !remote.path.includes(here) &&
    (isSupported || canAdopt(situation, local, remote));
  return { verdict: "both", local, remote, support: isFollowed ? path : undefined };
}

/** Objects that came from here are never created again: this plane has deleted them. Those of another peer come from that peer. */
function canCreate({ here, peer, peers }: MergeSituation, { origin, path }: ObjectVersion): boolean {
  if (origin.plane === here || path.includes(here) || path.length >= maxHops) return false;
  return origin.plane === peer || !peers.has(origin.plane);
}

/** True if the peer becomes the supporter of a copy: it is the origin, or the former supporter is no longer a peer. */
function canAdopt(
  { peer, peers, areAllKnown }: MergeSituation,
  local: ObjectVersion,
  remote: ObjectVersion,
): boolean {
  const supporter = local.path.at(-1);
  if (supporter === undefined) return false;
  if (areAllKnown && !peers.has(supporter)) return true;
  return remote.origin.plane === peer && hasSameOrigin(local, remote);
}

function decideBySource(
  { here }: MergeSituation,
  local: ObjectVersion,
  remote: ObjectVersion,
  support: readonly string[] | undefined,
): MergeDecision {
  if (support === undefined) {
    if (local.hash === remote.hash || hasSameOrigin(local, remote)) return none;
    return { action: "none", conflict: { reason: "NameTaken", kept: "ours" } };
  }
  if (!local.isEdited && local.record?.hash === remote.hash) return supportOnly(local, remote, support);
  const isLoss = local.isEdited && local.hash !== remote.hash && hasSameOrigin(local, remote);
  return {
    ...update(local, remote, remote.stamp, support, here),
    ...(isLoss && { conflict: { reason: "Edited", kept: "theirs" } }),
  };
}

function decideByTime(
  situation: MergeSituation,
  local: ObjectVersion,
  remote: ObjectVersion,
  support: readonly string[] | undefined,
): MergeDecision {
  const { here } = situation;
  const reason: ConflictReason = hasSameOrigin(local, remote) ? "Edited" : "NameTaken";
  const isAdopted = local.record?.hash === remote.hash && includes(local, remote);
  if (isAdopted) return supportOnly(local, remote, support);
  if (local.hash === remote.hash) {
    // Equal content with a later stamp: without it, planes further on would keep an edit in between. A later revision alone is a
    // change of the status.
    return compareStamps(withoutRevision(remote.stamp), withoutRevision(local.stamp)) > 0
      ? restamp(update(local, remote, remote.stamp, support, here), local)
      : supportOnly(local, remote, support);
  }
  const sequence = sequenceOnPlane(local.stamp, remote.stamp, situation);
  // All planes have to order the edits alike, so the time of the later one must not be earlier.
  const time = Math.max(remote.stamp.time, local.stamp.time);
  // A copy of an object that nobody has any more, and that nobody here has edited, is worth nothing.
  const isOrphan = support !== undefined && !local.isEdited && !hasSameOrigin(local, remote);
  if (isOrphan) return update(local, remote, { ...remote.stamp, time }, support, here);
  if (sequence < 0) {
    return time === local.stamp.time
      ? supportOnly(local, remote, support)
      : restamp(update(local, remote, { ...local.stamp, time }, support, here, editHash(local)), local);
  }
  if (sequence > 0) return update(local, remote, { ...remote.stamp, time }, support, here);
  if (compareStamps(remote.stamp, local.stamp) > 0) {
    const conflict = isBasedOn(remote, local) ? undefined : { reason, kept: "theirs" as const };
    return { ...update(local, remote, remote.stamp, support, here), conflict };
  }
  if (isBasedOn(local, remote)) return supportOnly(local, remote, support);
  return { ...supportOnly(local, remote, support), conflict: { reason, kept: "ours" } };
}

/** True if the first version was made by somebody who had seen the content of the other. */
function isBasedOn(version: ObjectVersion, other: ObjectVersion): boolean {
  return includes(version, other) || version.record?.hash === other.hash;
}

function withoutRevision(stamp: EditStamp): EditStamp {
  return { ...stamp, revision: "" };
}

/**
 * Order of two edits of the same plane: positive if theirs is later, 0 for edits of different planes. Revisions decide, since the
 * removal of a field can leave an older time. Only a plane that was restored from a backup uses revisions twice: then its own
 * current edit is the later one.
 */
function sequenceOnPlane(ours: EditStamp, theirs: EditStamp, { here, peer }: MergeSituation): number {
  if (ours.plane !== theirs.plane) return 0;
  const order = compareResourceVersions(theirs.revision, ours.revision) ?? 0;
  if (order < 0 && theirs.plane === peer && theirs.time > ours.time) return 1;
  if (order > 0 && ours.plane === here && ours.time > theirs.time) return -1;
  return order;
}

function hasSameOrigin(one: ObjectVersion, other: ObjectVersion): boolean {
  return one.origin.plane === other.origin.plane && one.origin.uid === other.origin.uid;
}

function deletion(local: ObjectVersion): MergeDecision {
  return local.isEdited
    ? { action: "delete", conflict: { reason: "Deleted", kept: "theirs" } }
    : { action: "delete" };
}

function creation(remote: ObjectVersion, path: readonly string[], here: string): MergeDecision {
  const { hash, stamp, seen, origin } = remote;
  const record = { at: placeOf(remote.object, here), hash, stamp, seen, path };
  return { action: "create", content: "theirs", record, origin };
}

function update(
  local: ObjectVersion,
  remote: ObjectVersion,
  stamp: EditStamp,
  support: readonly string[] | undefined,
  here: string,
  hash = editHash(remote),
): Extract<MergeDecision, { readonly action: "create" | "update" }> {
  const seen: Record<string, readonly [number, string]> = { ...local.seen };
  for (const [plane, edit] of Object.entries(remote.seen)) {
    if (edit[0] >= (seen[plane]?.[0] ?? 0)) seen[plane] = edit;
  }
  const [latest = 0] = seen[stamp.plane] ?? [];
  seen[stamp.plane] = [Math.max(latest, stamp.time), hash];
  const path = support ?? local.path;
  const origin = support === undefined ? originOfCopy(local) : remote.origin;
  const record = { at: placeOf(local.object, here), hash: remote.hash, stamp, seen, path };
  return { action: "update", content: "theirs", record, origin };
}

/** Keeps the content, and records the rest. */
function restamp(
  decision: Extract<MergeDecision, { readonly action: "create" | "update" }>,
  { hash }: ObjectVersion,
): MergeDecision {
  return { ...decision, content: "ours", record: { ...decision.record, hash } };
}

/** Records another path, if it has changed. */
function supportOnly(
  local: ObjectVersion,
  remote: ObjectVersion,
  support: readonly string[] | undefined,
): MergeDecision {
  const { record, path } = local;
  const isSame =
    support === undefined ||
    (support.length === path.length &&
      support.every((plane, index) => plane === path[index]) &&
      hasSameOrigin(local, remote));
  if (isSame || record === undefined) return none;
  return {
    action: "update",
    content: "ours",
    record: { ...record, path: support },
    origin: remote.origin,
  };
}

function originOfCopy({ path, origin }: ObjectVersion): ObjectOrigin | undefined {
  return path.length === 0 ? undefined : origin;
}

/** The object that a decision writes. */
export function mergedObject(
  { content, record, origin }: Extract<MergeDecision, { readonly action: "create" | "update" }>,
  local: ObjectVersion | undefined,
  remote: ObjectVersion,
): KubeObject {
  const chosen = content === "ours" && local !== undefined ? local.content : remote.content;
  const { name = "", namespace } = remote.object.metadata;
  return withContent(
    chosen,
    remote.object,
    local?.object,
    { name, namespace },
    syncAnnotations(record, origin),
  );
}
