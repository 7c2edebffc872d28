import { areEntriesShared, encodeManagedFields } from "../../model/apply/fields/shared-sets.js";
import type { ManagedFieldsEntry } from "../../model/core.js";
import { apiVersionOf, type Draft, type ResourceType } from "./resource-type.js";

/** Buffer in which objects are encoded; larger ones are encoded as a string first. */
const scratch = Buffer.allocUnsafeSlow(2 ** 16);

/**
 * First field of the metadata of a stored object: the name of the user who wrote this version. The API does not have it; a
 * field manager, which it has, is whatever name the client gave.
 */
export const writerField = "fettle.dev/user";

/**
 * Encodes an object, in the storage version of its kind, for the store, as written by `user`. Its metadata must not be empty.
 *
 * Encodes in pieces, since JavaScript puts fields that look like numbers first, and since many objects share some of the
 * pieces.
 */
export function encodeStored(type: ResourceType, object: Draft, user: string): Uint8Array {
  const { apiVersion: _, kind: __, metadata, ...others } = object;
  const { resourceVersion: ___, managedFields, ...stored } = metadata;
  const head = prefixesOf(type).stored;
  const inner = writerStart + JSON.stringify(user).slice(1) + JSON.stringify(stored).replace("{", ",");
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
  const value = Buffer.allocUnsafe(end + 1);
  scratch.copy(value, 0, 0, end + 1);
  return value;
}

const writerStart = `{"${writerField}":"`;
const writerBytes = Buffer.from(writerStart.slice(1));

/** Number of bytes from `start` that say who wrote an object; 0 without them. */
export function writerLength(value: Uint8Array, start: number): number {
  const end = start + writerBytes.length;
  if (value.length < end || writerBytes.compare(value, start, end) !== 0) return 0;
  let at = end;
  while (at < value.length && value[at] !== asciiQuote) at += value[at] === asciiBackslash ? 2 : 1;
  // The quote, and the comma after it.
  return at + 2 - start;
}

/** Size of a stored object without the name of its writer. */
export function contentLength(type: ResourceType, value: Uint8Array): number {
  return value.length - writerLength(value, prefixesOf(type).stored.length);
}

const asciiQuote = 0x22;
const asciiBackslash = 0x5c;
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
