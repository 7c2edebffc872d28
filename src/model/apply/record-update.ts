import { type Json, jsonEqual, type JsonObject } from "../object/json.js";
import type { KubeObject, ManagedFieldsEntry } from "../object/object.js";
import {
  managedFieldsOf,
  type FieldOwner,
  type FieldOwners,
  storedOwners,
  ownerId,
  parseOwners,
  withFields,
} from "./field-owner.js";
import { FieldSetError } from "./fields/path-element.js";
import { difference, emptySet, type FieldSet, isEmpty, union } from "./fields/field-set.js";
import { areEntriesShared, markEntriesShared, markShared } from "./fields/shared-sets.js";
import { VersionChanges, type KindVersions, unownedFields, type VersionChange } from "./kind-versions.js";
import { adaptOwners, markAdapted, transferOwnership } from "./ownership.js";
import { capUpdaters } from "./update-cap.js";

/** Writer and context of a write. */
export interface FieldWrite {
  /** Field manager. */
  readonly manager: string;
  /** Version of the request. */
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Current time, as RFC 3339 with seconds. */
  readonly time: string;
  readonly versions: KindVersions;
  /** Fields that this write cannot change (`resetFields`). */
  readonly ignored?: FieldSet | undefined;
  /**
   * Object before creation. Default: an object without fields. For built-in kinds, the fields that always
   * exist.
   */
  readonly base?: KubeObject | undefined;
}

/** Create, update, or patch other than apply. */
export interface UpdateRequest extends FieldWrite {
  /** Stored object, in the version of the request; undefined on create. */
  readonly live: KubeObject | undefined;
  /** Object to be stored, with the managedFields that the client sent. */
  readonly updated: KubeObject;
}

/**
 * Computes the managedFields after a create, update or patch; undefined for none.
 *
 * - The writer owns the fields that it added or modified, besides those it owned before. All others lose
 *   them.
 * - Nobody owns removed fields.
 * - Setting a field to its current value is not a change: a write without changes leaves the entries and
 *   their times alone. So does one that only removes fields, for the writer.
 * - Entries that the client sent replace the stored ones, unless they are malformed or empty. An empty list,
 *   or a list with one empty entry, clears them; then nothing is recorded until somebody applies.
 * - Entries cannot be sent through a subresource.
 * - An existing object without entries is not recorded.
 *
 * Never rejects a write. If an object is nested too deeply to be walked, nobody owns anything.
 */
export function recordUpdate(request: UpdateRequest): readonly ManagedFieldsEntry[] | undefined {
  try {
    return recordFields(request);
  } catch (error) {
    if (error instanceof RangeError || error instanceof FieldSetError) return undefined;
    throw error;
  }
}

function recordFields(request: UpdateRequest): readonly ManagedFieldsEntry[] | undefined {
  const { live, updated, subresource } = request;
  const stored = live?.metadata.managedFields;
  const sent =
    (subresource ?? "") === "" ? ownersFromClient(updated.metadata.managedFields, stored) : undefined;
  const isUnrecorded = sent === undefined ? (stored ?? []).length === 0 : sent.size === 0;
  if (isUnrecorded && live?.metadata.uid) return undefined;
  const changes = changesBetween(live ?? request.base, updated, request);
  if (sent !== undefined) return managedFieldsOf(ownersAfter(sent, changes, request).values());
  const like = cachedEntries(stored, changes, request);
  if (like !== undefined) return like;
  const owners = storedOwners(stored);
  const recorded = ownersAfter(owners, changes, request);
  if (recorded === owners) return stored;
  const entries = managedFieldsOf(recorded.values());
  if (entries !== undefined) cacheEntries(stored, changes, request, entries);
  return entries;
}

/** Owners that the client sent, if they are valid. */
function ownersFromClient(
  sent: readonly ManagedFieldsEntry[] | undefined,
  stored: readonly ManagedFieldsEntry[] | undefined,
): FieldOwners | undefined {
  if (!Array.isArray(sent) || sent === stored) return undefined;
  if (isReset(sent)) return new Map();
  if (stored !== undefined && jsonEqual(sent, stored as unknown as Json)) return undefined;
  try {
    const owners = parseOwners(sent);
    return owners.size === 0 ? undefined : owners;
  } catch (error) {
    if (error instanceof FieldSetError) return undefined;
    throw error;
  }
}

function isReset(entries: readonly (ManagedFieldsEntry | null)[]): boolean {
  const [first] = entries;
  if (entries.length !== 1 || typeof first !== "object") return entries.length === 0;
  return Object.values(first ?? { not: "empty" }).every((value) => value === "" || value === null);
}

/**
 * Owners after a change from one object to another; the same map if nothing changes. `before` is undefined on
 * create.
 */
export function recordChanges(
  owners: FieldOwners,
  before: KubeObject | undefined,
  after: KubeObject,
  write: FieldWrite,
): FieldOwners {
  return ownersAfter(owners, changesBetween(before, after, write), write);
}

function changesBetween(
  before: KubeObject | undefined,
  after: KubeObject,
  write: FieldWrite,
): VersionChanges {
  const { apiVersion, versions, ignored = emptySet } = write;
  const nothing: JsonObject = { apiVersion, kind: after.kind };
  return new VersionChanges(before ? asJson(before) : nothing, asJson(after), versions, ignored);
}

function ownersAfter(owners: FieldOwners, changes: VersionChanges, write: FieldWrite): FieldOwners {
  const { apiVersion, subresource = "", time, versions } = write;
  const adapted = adaptOwners(owners, versions);
  const { written, removed } = changes.forVersion(apiVersion) ?? { written: emptySet, removed: emptySet };
  if (isEmpty(written) && isEmpty(removed)) return capUpdaters(withoutEmpty(adapted));

  const left = transferOwnership(adapted, changes, undefined);
  const fields = ownedFields(written);
  if (!isEmpty(fields)) {
    const manager = write.manager || "unknown";
    const writer: FieldOwner = { manager, operation: "Update", apiVersion, subresource, time, fields };
    const id = ownerId(writer);
    const before = left.get(id);
    const owner = before === undefined ? writer : withFields(writer, union(before.fields, fields));
    const type = versions.types.get(apiVersion);
    if (type !== undefined) markAdapted(owner.fields, type);
    left.set(id, owner);
  }
  return capUpdaters(left);
}

/** Cached result of a write with shared entries. */
interface CachedOutcome {
  readonly write: FieldWrite;
  readonly change: VersionChange;
  readonly entries: readonly ManagedFieldsEntry[];
}

/** Last result by the previous entries, or by the kind on create. */
const outcomes = new WeakMap<object, CachedOutcome>();

/**
 * Reuses the result of the last write: a writer that creates many objects, or updates many statuses, does the
 * same to each. Valid if the previous entries and the changed fields are identical.
 */
function cachedEntries(
  stored: readonly ManagedFieldsEntry[] | undefined,
  changes: VersionChanges,
  write: FieldWrite,
): readonly ManagedFieldsEntry[] | undefined {
  const last = outcomes.get(stored ?? write.versions);
  if (last === undefined || !isSameWriter(last.write, write)) return undefined;
  const change = changes.forVersion(write.apiVersion);
  const isSame = change?.written === last.change.written && change.removed === last.change.removed;
  return isSame ? last.entries : undefined;
}

function isSameWriter(left: FieldWrite, right: FieldWrite): boolean {
  return (
    left.time === right.time &&
    left.manager === right.manager &&
    left.apiVersion === right.apiVersion &&
    left.subresource === right.subresource &&
    left.versions === right.versions
  );
}

function cacheEntries(
  stored: readonly ManagedFieldsEntry[] | undefined,
  changes: VersionChanges,
  write: FieldWrite,
  entries: readonly ManagedFieldsEntry[],
): void {
  const { manager, apiVersion, subresource, time, versions } = write;
  const change = changes.forVersion(apiVersion);
  // Owners in other versions depend on more than this change.
  const isPlain = entries.every((entry) => entry.apiVersion === apiVersion && Object.isFrozen(entry));
  if (change === undefined || !isPlain || (stored !== undefined && !areEntriesShared(stored))) return;
  outcomes.set(stored ?? versions, {
    write: { manager, apiVersion, subresource, time, versions },
    change,
    entries: markEntriesShared(entries),
  });
}

const ownedFieldsCache = new WeakMap<FieldSet, FieldSet>();

/** Written fields that the writer owns; the same set for the same fields. */
function ownedFields(written: FieldSet): FieldSet {
  const cached = ownedFieldsCache.get(written);
  if (cached !== undefined) return markShared(cached);
  const fields = difference(written, unownedFields);
  ownedFieldsCache.set(written, fields);
  return fields;
}

function withoutEmpty(owners: FieldOwners): FieldOwners {
  let kept: Map<string, FieldOwner> | undefined;
  for (const [id, owner] of owners) {
    if (isEmpty(owner.fields)) (kept ??= new Map(owners)).delete(id);
  }
  return kept ?? owners;
}

function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/** Object as JSON, without managedFields. */
export function stripManagedFields(object: KubeObject): JsonObject {
  if (object.metadata?.managedFields === undefined) return asJson(object);
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...asJson(object), metadata: metadata as unknown as JsonObject };
}
