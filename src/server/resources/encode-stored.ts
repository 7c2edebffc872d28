import { areEntriesShared, encodeManagedFields } from "../../model/apply/fields/shared-sets.js";
import type { KubeObject, ManagedFieldsEntry } from "../../model/core.js";
import { apiVersionOf, type Draft, type ResourceType } from "./resource-type.js";

/** Buffer in which objects are encoded; larger ones are encoded as a string first. */
const scratch = Buffer.allocUnsafeSlow(2 ** 16);

/**
 * Encodes an object, in the storage version of its kind, for the store. Its metadata must not be empty.
 *
 * Encodes in pieces, since JavaScript puts fields that look like numbers first, and since many objects share some of the
 * pieces.
 */
export function encodeStored(type: ResourceType, object: Draft): Uint8Array {
  const { apiVersion: _, kind: __, metadata, ...others } = object;
  const { resourceVersion: ___, managedFields, ...stored } = metadata;
  const head = prefixesOf(type).stored;
  const inner = JSON.stringify(stored);
  const owners = managedFields === undefined ? "" : encodeOwners(managedFields);
  const rest = JSON.stringify(others);
  if (head.length + (inner.length + owners.length + rest.length) * 3 > scratch.length) {
    const more = rest === "{}" ? rest.slice(1) : `,${rest.slice(1)}`;
    return Buffer.from(`${head.toString()}${inner.slice(1, -1)}${owners.toString()}}${more}`);
  }
  // Each piece overwrites the closing brace of the one before. Joining strings would cost one more copy.
  let end = head.copy(scratch) - 1;
  end += scratch.write(inner, end) - 1;
  end += typeof owners === "string" ? scratch.write(owners, end) : owners.copy(scratch, end);
  scratch[end] = closingBrace;
  if (rest === "{}") scratch[++end] = closingBrace;
  else {
    const comma = ++end;
    end += scratch.write(rest, comma) - 1;
    scratch[comma] = asciiComma;
  }
  return copyOfScratch(end + 1);
}

const asciiComma = 0x2c;
const closingBrace = 0x7d;

const sharedManagedFields = new WeakMap<readonly ManagedFieldsEntry[], Buffer>();

/** Encodes managedFields, the last field of metadata: a string, or cached bytes if many objects share it. */
function encodeOwners(entries: readonly ManagedFieldsEntry[]): string | Buffer {
  const shared = sharedManagedFields.get(entries);
  if (shared !== undefined) return shared;
  const text = `,"managedFields":${encodeManagedFields(entries)}`;
  if (!areEntriesShared(entries)) return text;
  const bytes = Buffer.from(text);
  sharedManagedFields.set(entries, bytes);
  return bytes;
}

/** Stored object, parsed and encoded. */
export interface Live {
  readonly object: KubeObject;
  readonly value: Uint8Array;
}

const managedFieldsPrefix = Buffer.from(',"managedFields":[');

/**
 * {@link encodeStored} for an object that differs from the stored one only in status and managedFields: copies all other
 * bytes. Undefined if that cannot be determined cheaply.
 */
export function encodeStatus(type: ResourceType, object: Draft, live: Live): Uint8Array | undefined {
  const { managedFields: now } = object.metadata;
  const { managedFields: before } = live.object.metadata;
  const shared = before && sharedManagedFields.get(before);
  if (shared === undefined || now === undefined || !isSameButStatus(object, live.object)) return undefined;
  const { buffer, byteOffset, byteLength } = live.value;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const start = bytes.indexOf(managedFieldsPrefix, prefixesOf(type).stored.length);
  const rest = start + shared.length;
  if (start < 0 || rest >= byteLength || shared.compare(bytes, start, rest) !== 0) return undefined;
  const owners = encodeOwners(now);
  const status = statusText(object["status"]);
  const oldStatus = statusText(live.object.status);
  if (byteLength + (owners.length + status.length + oldStatus.length) * 3 > scratch.length) return undefined;
  const length = scratch.write(oldStatus, 0);
  const stop = byteLength - length - 1;
  if (stop < rest || scratch.compare(bytes, stop, byteLength - 1, 0, length) !== 0) return undefined;
  let end = bytes.copy(scratch, 0, 0, start);
  end += typeof owners === "string" ? scratch.write(owners, end) : owners.copy(scratch, end);
  end += bytes.copy(scratch, end, rest, stop);
  end += scratch.write(status, end);
  scratch[end++] = closingBrace;
  return copyOfScratch(end);
}

/** Encodes the status, the last field of an object; empty if there is none. */
function statusText(status: unknown): string {
  return status === undefined ? "" : `,"status":${JSON.stringify(status)}`;
}

/** True if all fields are identical except for status, managedFields and resourceVersion. */
function isSameButStatus(object: Draft, before: KubeObject): boolean {
  const isIgnored = (field: string): boolean => field === "metadata" || field === "status";
  const isIgnoredInMetadata = (field: string): boolean =>
    field === "managedFields" || field === "resourceVersion";
  return (
    hasSameFields(object.metadata, before.metadata as Draft["metadata"], isIgnoredInMetadata) &&
    hasSameFields(object, before as unknown as Draft, isIgnored)
  );
}

function hasSameFields(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  isIgnored: (field: string) => boolean,
): boolean {
  for (const field in left) if (left[field] !== right[field] && !isIgnored(field)) return false;
  for (const field in right)
    if (left[field] === undefined && right[field] !== undefined && !isIgnored(field)) return false;
  return true;
}

/** Copy of the first bytes of the scratch buffer. */
function copyOfScratch(length: number): Buffer {
  const value = Buffer.allocUnsafe(length);
  scratch.copy(value, 0, 0, length);
  return value;
}

/** First bytes of all objects of a kind: in the store, and in responses. */
interface Prefixes {
  readonly stored: Buffer;
  readonly sent: string;
}

const prefixesByType = new WeakMap<ResourceType, Prefixes>();

export function prefixesOf(type: ResourceType): Prefixes {
  let prefixes = prefixesByType.get(type);
  if (prefixes === undefined) {
    const { apiVersion, kind } = type.storage;
    prefixes = {
      stored: Buffer.from(prefixOf(apiVersion, kind)),
      sent: prefixOf(apiVersionOf(type), type.kind),
    };
    prefixesByType.set(type, prefixes);
  }
  return prefixes;
}

function prefixOf(apiVersion: string, kind: string): string {
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{`;
}
