import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../object/json.js";
import type { ManagedFieldsEntry } from "../object/object.js";
import { formatTime, parseTime } from "../time/timestamp.js";
import { FieldSetError } from "./fields/path-element.js";
import { emptySet, type FieldSet } from "./fields/field-set.js";
import { parseFieldsV1 } from "./fields/fields-v1.js";
import { reuseEntry } from "./fields/shared-sets.js";
import { compareUtf8, canonicalString } from "./fields/canonical-json.js";

/**
 * Owner of fields: an entry of `metadata.managedFields`. Owners are identified by everything in an entry
 * except time and fields ({@link ownerId}): the same manager is another owner if it writes through a
 * subresource, applies instead of updating, or updates in another version. (An applier that changes its
 * version stays the same owner.)
 */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** Existing entry with this content, if any. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

/** Owners by {@link ownerId}. */
export type FieldOwners = ReadonlyMap<string, FieldOwner>;

/** Identity of an owner, in Kubernetes' format, because conflicts are listed in its order. */
export function ownerId(owner: Omit<FieldOwner, "time" | "fields" | "entry">): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const version =
    operation === "Update" && apiVersion !== "" ? `,"apiVersion":${canonicalString(apiVersion)}` : "";
  const name = manager === "" ? "" : `"manager":${canonicalString(manager)},`;
  const below = subresource === "" ? "" : `,"subresource":${canonicalString(subresource)}`;
  return `{${name}"operation":"${operation}"${version}${below}}`;
}

/** Copies an owner with other fields. */
export function withFields(owner: FieldOwner, fields: FieldSet): FieldOwner {
  if (fields === owner.fields) return owner;
  const { manager, operation, apiVersion, subresource, time } = owner;
  return { manager, operation, apiVersion, subresource, time, fields };
}

/** Owners of entries that this module wrote or parsed: their sets are valid and sorted. */
export function storedOwners(entries: readonly ManagedFieldsEntry[] | undefined): Map<string, FieldOwner> {
  const owners = new Map<string, FieldOwner>();
  for (const entry of entries ?? []) {
    const cached = Object.isFrozen(entry) ? cachedOwners.get(entry) : undefined;
    const owner = cached ?? ownerOfEntry(entry);
    if (owner !== undefined) owners.set(owner.id, owner);
  }
  return owners;
}

/** Owner with its id. */
interface OwnerWithId extends FieldOwner {
  readonly id: string;
}

/** Owners by frozen entry: most entries of an object are the same from write to write. */
const cachedOwners = new WeakMap<ManagedFieldsEntry, OwnerWithId>();

function ownerOfEntry(entry: ManagedFieldsEntry): OwnerWithId | undefined {
  const { manager = "", operation, apiVersion = "", subresource = "", time, fieldsV1 } = entry;
  if (operation === undefined) return undefined;
  // The only place where JSON is cast to a set.
  const fields = (fieldsV1 ?? emptySet) as FieldSet;
  const id = ownerId({ manager, operation, apiVersion, subresource });
  const owner: OwnerWithId = { manager, operation, apiVersion, subresource, time, fields, entry, id };
  if (Object.isFrozen(entry)) cachedOwners.set(entry, owner);
  return owner;
}

/** Parses entries from a client. Throws a {@link FieldSetError} if they are malformed. */
export function parseOwners(entries: Json | undefined): Map<string, FieldOwner> {
  const owners = new Map<string, FieldOwner>();
  if (entries === undefined || entries === null) return owners;
  if (!isJsonArray(entries)) throw new FieldSetError("managedFields is not a list");
  for (const [index, entry] of entries.entries()) {
    if (!isJsonObject(entry)) throw new FieldSetError(`managedFields[${index}] is not a map`);
    const owner = parseOwner(entry, index);
    owners.set(ownerId(owner), owner);
  }
  return owners;
}

function parseOwner(entry: JsonObject, index: number): FieldOwner {
  const text = (name: string): string => {
    const value = Object.hasOwn(entry, name) ? (entry[name] ?? "") : "";
    if (typeof value !== "string") throw new FieldSetError(`managedFields[${index}].${name} is not a string`);
    return value;
  };
  const operation = text("operation");
  if (operation !== "Apply" && operation !== "Update") {
    throw new FieldSetError("operation must be `Apply` or `Update`");
  }
  const apiVersion = text("apiVersion");
  if (apiVersion === "") throw new FieldSetError("apiVersion must not be empty");
  const fieldsType = text("fieldsType");
  if (fieldsType === "") throw new FieldSetError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new FieldSetError(
      `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`,
    );
  }
  const time = text("time");
  const fields = parseFieldsV1(Object.hasOwn(entry, "fieldsV1") ? entry["fieldsV1"] : undefined);
  return {
    manager: text("manager"),
    operation,
    apiVersion,
    subresource: text("subresource"),
    time: time === "" ? undefined : normalizeTime(time),
    fields,
  };
}

/** Normalizes a time to UTC. */
function normalizeTime(time: string): string {
  try {
    return formatTime(parseTime(time));
  } catch {
    throw new FieldSetError(`${JSON.stringify(time.slice(0, 64))} is not a time`);
  }
}

/** Encodes owners as `metadata.managedFields`: appliers first, then by time. Undefined for none. */
export function managedFieldsOf(owners: Iterable<FieldOwner>): ManagedFieldsEntry[] | undefined {
  const entries: ManagedFieldsEntry[] = [];
  let last: ManagedFieldsEntry | undefined;
  let ordered = true;
  for (const owner of owners) {
    const entry = toEntry(owner);
    ordered &&= last === undefined || compareEntries(last, entry) <= 0;
    entries.push(entry);
    last = entry;
  }
  if (!ordered) entries.sort(compareEntries);
  return entries.length === 0 ? undefined : entries;
}

function toEntry(owner: FieldOwner): ManagedFieldsEntry {
  if (owner.entry !== undefined) return owner.entry;
  // Field by field, in Kubernetes' order. Runs on every write.
  const entry: { -readonly [Key in keyof ManagedFieldsEntry]: ManagedFieldsEntry[Key] } = {};
  if (owner.manager !== "") entry.manager = owner.manager;
  entry.operation = owner.operation;
  entry.apiVersion = owner.apiVersion;
  if (owner.time !== undefined) entry.time = owner.time;
  entry.fieldsType = "FieldsV1";
  entry.fieldsV1 = owner.fields;
  if (owner.subresource !== "") entry.subresource = owner.subresource;
  return reuseEntry(entry, owner.fields);
}

function compareEntries(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  const { operation = "", manager = "", apiVersion = "", subresource = "" } = left;
  return (
    compareUtf8(operation, right.operation ?? "") ||
    compareTimes(left.time, right.time) ||
    compareUtf8(manager, right.manager ?? "") ||
    compareUtf8(apiVersion, right.apiVersion ?? "") ||
    compareUtf8(subresource, right.subresource ?? "")
  );
}

/** Compares two times by whole seconds; a missing time is the earliest. */
export function compareTimes(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0;
  // Normalized times compare as strings.
  if (left?.length === 20 && right?.length === 20) return left < right ? -1 : 1;
  return (seconds(left) ?? 0) - (seconds(right) ?? 0);
}

function seconds(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  try {
    return Math.floor(parseTime(time) / 1000);
  } catch {
    return undefined;
  }
}
