import { areEntriesShared, encodeManagedFields } from "../../model/apply/fields/shared-sets.js";
import type { KubeObject, ManagedFieldsEntry } from "../../model/core.js";
import { apiVersionOf, type Draft, type ResourceType } from "./resource-type.js";

/** Where objects are put together; larger ones than this are put together as a text. */
const bench = Buffer.allocUnsafeSlow(2 ** 16);

/**
 * The stored form of an object of a kind in its storage version. It has metadata, if only a name.
 *
 * In pieces, since JSON puts fields that look like numbers in front of all others, and since some pieces are the same for
 * many objects.
 */
export function encodeStored(type: ResourceType, object: Draft): Uint8Array {
  const { apiVersion: _, kind: __, metadata, ...others } = object;
  const { resourceVersion: ___, managedFields, ...stored } = metadata;
  const head = beginningOf(type).stored;
  const inner = JSON.stringify(stored);
  const owners = managedFields === undefined ? "" : ownersOf(managedFields);
  const rest = JSON.stringify(others);
  if (head.length + (inner.length + owners.length + rest.length) * 3 > bench.length) {
    const more = rest === "{}" ? rest.slice(1) : `,${rest.slice(1)}`;
    return Buffer.from(`${head.toString()}${inner.slice(1, -1)}${owners.toString()}}${more}`);
  }
  // Each piece over the brace that ends what is before it: a text of all would be one more copy.
  let end = head.copy(bench) - 1;
  end += bench.write(inner, end) - 1;
  end += typeof owners === "string" ? bench.write(owners, end) : owners.copy(bench, end);
  bench[end] = closingBrace;
  if (rest === "{}") bench[++end] = closingBrace;
  else {
    const comma = ++end;
    end += bench.write(rest, comma) - 1;
    bench[comma] = asciiComma;
  }
  return taken(end + 1);
}

const asciiComma = 0x2c;
const closingBrace = 0x7d;

const ownersOfMany = new WeakMap<readonly ManagedFieldsEntry[], Buffer>();

/** The last field of metadata: a text, or the bytes of one that many objects have. */
function ownersOf(entries: readonly ManagedFieldsEntry[]): string | Buffer {
  const known = ownersOfMany.get(entries);
  if (known !== undefined) return known;
  const text = `,"managedFields":${encodeManagedFields(entries)}`;
  if (!areEntriesShared(entries)) return text;
  const bytes = Buffer.from(text);
  ownersOfMany.set(entries, bytes);
  return bytes;
}

/** An object as it is stored, and what is stored of it: the very same. */
export interface Live {
  readonly object: KubeObject;
  readonly value: Uint8Array;
}

const ownersBegin = Buffer.from(',"managedFields":[');

/**
 * The same for an object of which nothing but the status and the owners differs from what is stored: the rest is copied
 * from there. Undefined where that cannot be seen at a glance.
 */
export function encodeStatus(type: ResourceType, object: Draft, live: Live): Uint8Array | undefined {
  const { managedFields: now } = object.metadata;
  const { managedFields: before } = live.object.metadata;
  const known = before && ownersOfMany.get(before);
  if (known === undefined || now === undefined || !isSameButStatus(object, live.object)) return undefined;
  const { buffer, byteOffset, byteLength } = live.value;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const start = bytes.indexOf(ownersBegin, beginningOf(type).stored.length);
  const rest = start + known.length;
  if (start < 0 || rest >= byteLength || known.compare(bytes, start, rest) !== 0) return undefined;
  const owners = ownersOf(now);
  const status = statusText(object["status"]);
  const past = statusText(live.object.status);
  if (byteLength + (owners.length + status.length + past.length) * 3 > bench.length) return undefined;
  const length = bench.write(past, 0);
  const stop = byteLength - length - 1;
  if (stop < rest || bench.compare(bytes, stop, byteLength - 1, 0, length) !== 0) return undefined;
  let end = bytes.copy(bench, 0, 0, start);
  end += typeof owners === "string" ? bench.write(owners, end) : owners.copy(bench, end);
  end += bytes.copy(bench, end, rest, stop);
  end += bench.write(status, end);
  bench[end++] = closingBrace;
  return taken(end);
}

/** The last field of an object, or nothing. */
function statusText(status: unknown): string {
  return status === undefined ? "" : `,"status":${JSON.stringify(status)}`;
}

/** Whether all but the status is the very same, and in metadata all but the owners and the version. */
function isSameButStatus(object: Draft, before: KubeObject): boolean {
  const isFree = (field: string): boolean => field === "metadata" || field === "status";
  const isFreeInMeta = (field: string): boolean => field === "managedFields" || field === "resourceVersion";
  return (
    hasSameFields(object.metadata, before.metadata as Draft["metadata"], isFreeInMeta) &&
    hasSameFields(object, before as unknown as Draft, isFree)
  );
}

function hasSameFields(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  isFree: (field: string) => boolean,
): boolean {
  for (const field in left) if (left[field] !== right[field] && !isFree(field)) return false;
  for (const field in right)
    if (left[field] === undefined && right[field] !== undefined && !isFree(field)) return false;
  return true;
}

/** What was put together, in bytes of its own. */
function taken(length: number): Buffer {
  const value = Buffer.allocUnsafe(length);
  bench.copy(value, 0, 0, length);
  return value;
}

/** How the objects of a kind begin: as they are stored, and as they are shown. */
interface Beginning {
  readonly stored: Buffer;
  readonly shown: string;
}

const beginnings = new WeakMap<ResourceType, Beginning>();

export function beginningOf(type: ResourceType): Beginning {
  let beginning = beginnings.get(type);
  if (beginning === undefined) {
    const { apiVersion, kind } = type.storage;
    beginning = { stored: Buffer.from(begin(apiVersion, kind)), shown: begin(apiVersionOf(type), type.kind) };
    beginnings.set(type, beginning);
  }
  return beginning;
}

function begin(apiVersion: string, kind: string): string {
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{`;
}
