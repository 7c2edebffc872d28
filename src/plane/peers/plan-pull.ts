import type { KubeObject } from "../../model/core.js";
import { contributionOf, hasFieldsOf } from "./applied-fields.js";
import { hashOf } from "./content.js";
import {
  decide,
  decideExistence,
  mergedObject,
  type Existence,
  type MergeConflict,
  type MergeSituation,
} from "./merge.js";
import type { ObjectVersion } from "./object-version.js";
import type { MergePolicy } from "./peer-options.js";
import {
  appliedAnnotationPrefix,
  peerManagerPrefix,
  placeOf,
  syncAnnotations,
  type ObjectOrigin,
  type SyncRecord,
} from "./sync-record.js";

/** Request to be made for one object, with the conflict to report. */
export interface PullPlan {
  readonly action: "none" | "create" | "update" | "apply" | "delete";
  /** Body of the request. */
  readonly body?: KubeObject | undefined;
  /** Hash of the content that the object should have afterwards; undefined if that depends on others. */
  readonly hash?: string | undefined;
  /** Record in the body of a create or update. */
  readonly record?: SyncRecord | undefined;
  /** Takes fields over from another peer. */
  readonly force?: boolean | undefined;
  readonly conflict?: MergeConflict | undefined;
  /** Fields in conflict, and a hash of their values. */
  readonly fields?: readonly string[] | undefined;
  readonly refusal?: string | undefined;
}

/** Peer whose object is pulled. */
interface PullingPeer {
  readonly name: string;
  readonly merge: MergePolicy;
}

const nothing: PullPlan = { action: "none" };

/** Field manager of writes for a peer. */
export function managerOf(peer: string): string {
  return `${peerManagerPrefix}${peer}`;
}

/** Plans the request for one object. */
export function planPull(situation: MergeSituation, { name, merge }: PullingPeer): PullPlan {
  const { local, remote } = situation;
  if (merge === "field-managers") return planFields(situation, name);
  const decision = decide(situation, merge);
  const { action, conflict } = decision;
  if (action === "none" || action === "delete" || remote === undefined) return { action, conflict };
  const { content, record } = decision;
  const body = mergedObject(decision, local, remote);
  return { action, body, record, hash: content === "ours" ? local?.hash : remote.hash, conflict };
}

function planFields(situation: MergeSituation, peer: string): PullPlan {
  const { local, remote, here } = situation;
  const manager = managerOf(peer);
  const existence = decideExistence(situation);
  if (existence.verdict === "both") return planBoth(existence, peer, here);
  const { decision } = existence;
  if (decision.action === "create" && remote !== undefined) {
    const { object } = contributionOf(remote, undefined, manager, true);
    const body = annotated(object, {
      ...syncAnnotations(decision.record, decision.origin),
      ...applied(peer, object),
    });
    return { action: "apply", body };
  }
  if (decision.action === "delete") return decision;
  const isGone = remote === undefined || remote.isDeleting;
  if (!isGone || local === undefined || local.isDeleting || !hasFieldsOf(local.object, manager))
    return nothing;
  return { action: "apply", body: withoutFields(local.object) };
}

function planBoth(
  { local, remote, support }: Extract<Existence, { readonly verdict: "both" }>,
  peer: string,
  here: string,
): PullPlan {
  const manager = managerOf(peer);
  const isSupported = support !== undefined;
  const { object, refused, refusal } = contributionOf(remote, local.object, manager, isSupported);
  const conflict: MergeConflict | undefined =
    refused.length === 0 ? undefined : { reason: "FieldOwned", kept: "ours" };
  const report = { conflict, fields: refused, refusal };
  const noted = applied(peer, object);
  const isEmpty = !isSupported && hashOf(object as never) === hashOf(withoutFields(local.object) as never);
  if (isEmpty && !hasFieldsOf(local.object, manager)) return { action: "none", ...report };
  const isApplied = Object.entries(noted).every(
    ([name, hash]) => local.object.metadata.annotations?.[name] === hash,
  );
  if (isApplied && (!isSupported || isSamePath(local, remote, support))) {
    return { action: "none", ...report };
  }
  if (isEmpty) return { action: "apply", body: withoutFields(local.object), ...report };
  const sync = isSupported ? recordedCopy(local, remote, support, here) : {};
  const force = isSupported && !isSamePath(local, remote, support);
  return { action: "apply", body: annotated(object, { ...sync, ...noted }), force, ...report };
}

function isSamePath(local: ObjectVersion, remote: ObjectVersion, path: readonly string[]): boolean {
  const isSameOrigin = local.origin.plane === remote.origin.plane && local.origin.uid === remote.origin.uid;
  return isSameOrigin && local.path.join() === path.join();
}

function recordedCopy(
  local: ObjectVersion,
  remote: ObjectVersion,
  path: readonly string[],
  here: string,
): Readonly<Record<string, string>> {
  const { hash, stamp, seen } = remote;
  const origin: ObjectOrigin = remote.origin;
  return syncAnnotations({ at: placeOf(local.object, here), hash, stamp, seen, path }, origin);
}

function applied(peer: string, object: KubeObject): Readonly<Record<string, string>> {
  return { [`${appliedAnnotationPrefix}${peer}`]: hashOf(object as never) };
}

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** An apply that gives up all fields. */
function withoutFields({ apiVersion, kind, metadata: { name = "", namespace } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}
