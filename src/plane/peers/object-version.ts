import { compareResourceVersions } from "../../client/informer/cache/resource-version.js";
import { parseTime, type KubeObject, type ManagedFieldsEntry } from "../../model/core.js";
import { contentOf, hashOf, isLocalAnnotation, type SyncedContent } from "./content.js";
import {
  originAnnotation,
  originUidAnnotation,
  peerManagerPrefix,
  readSyncRecord,
  type EditStamp,
  type ObjectOrigin,
  type SeenEdits,
  type SyncRecord,
} from "./sync-record.js";

/** An object as the synchronisation sees it. */
export interface ObjectVersion {
  readonly object: KubeObject;
  /** Plane where it was read. */
  readonly plane: string;
  readonly content: SyncedContent;
  readonly hash: string;
  readonly origin: ObjectOrigin;
  /** Planes through which a copy came, the origin first; empty for an object that was created on `plane`. */
  readonly path: readonly string[];
  /** The last edit of the content. */
  readonly stamp: EditStamp;
  readonly seen: SeenEdits;
  readonly record: SyncRecord | undefined;
  /** True if the content has changed on `plane` since it was last synchronised. */
  readonly isEdited: boolean;
  readonly isDeleting: boolean;
}

/** Versions by object: objects are immutable, and each comes from one plane. */
const cache = new WeakMap<KubeObject, ObjectVersion>();

/** Version of an object that was read on a plane. Its parts are computed from the object alone, so that all readers agree. */
export function versionOf(object: KubeObject, plane: string): ObjectVersion {
  const cached = cache.get(object);
  if (cached !== undefined && cached.plane === plane) return cached;
  const version = computeVersion(object, plane);
  cache.set(object, version);
  return version;
}

function computeVersion(object: KubeObject, plane: string): ObjectVersion {
  const { metadata } = object;
  const content = contentOf(object);
  const hash = hashOf(content);
  const record = readSyncRecord(object, plane);
  const origin = metadata.annotations?.[originAnnotation];
  const uid = metadata.annotations?.[originUidAnnotation];
  const isCopy = record !== undefined && record.path.length > 0 && origin !== undefined && uid !== undefined;
  const isEdited = record === undefined || hash !== (record.stored ?? record.hash);
  const time = Math.max(editTime(object), record === undefined ? 0 : record.stamp.time + 1);
  return {
    object,
    plane,
    content,
    hash,
    origin: isCopy ? { plane: origin, uid } : { plane, uid: metadata.uid ?? "" },
    path: isCopy ? record.path : [],
    stamp:
      record === undefined || isEdited
        ? { time, plane, revision: metadata.resourceVersion ?? "" }
        : record.stamp,
    seen: isEdited ? { ...record?.seen, [plane]: [time, hash] } : (record?.seen ?? {}),
    record,
    isEdited,
    isDeleting: metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
  };
}

/** Positive if the first edit is later. Edits of the same time are ordered by their planes, and of one plane by revision. */
export function compareStamps(one: EditStamp, other: EditStamp): number {
  if (one.time !== other.time) return one.time - other.time;
  if (one.plane !== other.plane) return one.plane < other.plane ? -1 : 1;
  return compareResourceVersions(one.revision, other.revision) ?? 0;
}

/** Hash of the content that the last edit of a version made, on the plane where it was made. */
export function editHash({ isEdited, record, hash }: ObjectVersion): string {
  return isEdited ? hash : (record?.hash ?? hash);
}

/** True if a version includes the last edit of another. */
export function includes({ seen }: ObjectVersion, other: ObjectVersion): boolean {
  const [time = -1, hash] = seen[other.stamp.plane] ?? [];
  return time > other.stamp.time || (time === other.stamp.time && hash === editHash(other));
}

/**
 * Time of the last edit of the content on this plane, in whole seconds: that of the newest entry of managedFields with synchronised
 * fields which was not written for a peer. The removal of a field leaves no time.
 */
function editTime({ metadata }: KubeObject): number {
  const times = (metadata.managedFields ?? [])
    .filter((entry) => !isPeerEntry(entry) && ownsContent(entry))
    .map(({ time }) => time);
  return Math.max(0, ...[metadata.creationTimestamp ?? undefined, ...times].map(milliseconds));
}

function milliseconds(time: string | undefined): number {
  if (time === undefined) return 0;
  try {
    return Math.floor(parseTime(time));
  } catch {
    return 0;
  }
}

/** True for an entry that was written for a peer. */
export function isPeerEntry({ manager = "" }: ManagedFieldsEntry): boolean {
  return manager.startsWith(peerManagerPrefix);
}

/** True for an entry of the main resource that has fields besides those that stay on the plane, such as finalizers. */
function ownsContent({ subresource, fieldsV1 }: ManagedFieldsEntry): boolean {
  if (subresource) return false;
  return Object.entries(fieldsV1 ?? {}).some(([element, node]) => {
    if (element !== "f:metadata") return element !== "f:status";
    const { "f:labels": labels, "f:annotations": annotations } = (node ?? {}) as Record<string, object>;
    const names = Object.keys(annotations ?? {}).filter((name) => name !== ".");
    return labels !== undefined || names.some((name) => !isLocalAnnotation(name.slice(2)));
  });
}
