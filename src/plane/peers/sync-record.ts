import type { KubeObject } from "../../model/core.js";

/** Annotations of copies: the plane that the object comes from, and its uid there. */
export const originAnnotation = "fettle.dev/origin";
export const originUidAnnotation = "fettle.dev/origin-uid";
/** Annotation with a {@link SyncRecord}. */
export const syncAnnotation = "fettle.dev/sync";
/** Prefix of annotations with a hash of the fields that a peer has applied: `peers.fettle.dev/berlin`. */
export const appliedAnnotationPrefix = "peers.fettle.dev/";

/** Prefix of the field managers under which the objects of peers are written. */
export const peerManagerPrefix = "fettle-peer-";

export function isSyncAnnotation(name: string): boolean {
  return (
    name === originAnnotation ||
    name === originUidAnnotation ||
    name === syncAnnotation ||
    name.startsWith(appliedAnnotationPrefix)
  );
}

/**
 * Position of an edit in the order of all edits. The time is that of the plane where the edit was made, but always later than the
 * edit that it was based on, so that a wrong clock cannot undo an edit by somebody who had seen the other.
 */
export interface EditStamp {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Plane where the edit was made. */
  readonly plane: string;
  /** resourceVersion there. */
  readonly revision: string;
}

/** The last edit of each plane that a content includes: its time, and the hash of the content that it made. */
export type SeenEdits = Readonly<Record<string, readonly [time: number, hash: string]>>;

/** Record in an object of the content that was last synchronised. */
export interface SyncRecord {
  /** Plane, namespace and name of the object that has the record. A record that was copied elsewhere is invalid. */
  readonly at: string;
  /** Hash of the content at the peer. */
  readonly hash: string;
  /** Hash of the content as it was stored, if the server changed it: the kinds have different schemas. */
  readonly stored?: string | undefined;
  readonly stamp: EditStamp;
  readonly seen: SeenEdits;
  /** Planes through which the copy came, the origin first; empty for an object that was created here. */
  readonly path: readonly string[];
}

/** Plane and uid of the object of which others are copies. */
export interface ObjectOrigin {
  readonly plane: string;
  readonly uid: string;
}

/** Place of an object: `PLANE NAMESPACE/NAME`. */
export function placeOf({ metadata }: Pick<KubeObject, "metadata">, plane: string): string {
  return `${plane} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Planes in `seen` of a record; those with the oldest edits are dropped. */
const maxSeen = 32;

/** Annotations for a record, and for the origin of a copy. */
export function syncAnnotations(
  record: SyncRecord,
  origin: ObjectOrigin | undefined,
): Readonly<Record<string, string>> {
  const seen = Object.entries(record.seen)
    .sort(([, [one]], [, [other]]) => other - one)
    .slice(0, maxSeen);
  return {
    ...(origin !== undefined && { [originAnnotation]: origin.plane, [originUidAnnotation]: origin.uid }),
    [syncAnnotation]: JSON.stringify({ ...record, seen: Object.fromEntries(seen) }),
  };
}

/** Reads the record of an object on a plane; undefined if there is none, or if it is invalid or belongs to another object. */
export function readSyncRecord(object: KubeObject, plane: string): SyncRecord | undefined {
  const text = object.metadata.annotations?.[syncAnnotation];
  if (text === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    return isSyncRecord(record) && record.at === placeOf(object, plane) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isSyncRecord(value: unknown): value is SyncRecord {
  if (typeof value !== "object" || value === null) return false;
  const { at, hash, stored, stamp, seen, path } = value as Partial<SyncRecord>;
  return (
    typeof at === "string" &&
    typeof hash === "string" &&
    (stored === undefined || typeof stored === "string") &&
    typeof stamp === "object" &&
    stamp !== null &&
    Number.isSafeInteger(stamp.time) &&
    typeof stamp.plane === "string" &&
    typeof stamp.revision === "string" &&
    typeof seen === "object" &&
    seen !== null &&
    Object.values(seen).every((edit) => Array.isArray(edit) && Number.isSafeInteger(edit[0])) &&
    Array.isArray(path) &&
    path.every((plane) => typeof plane === "string")
  );
}
