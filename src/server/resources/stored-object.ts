import { areShared, textOfEntries } from "../../model/apply/fields/shared-sets.js";
import { deepFreeze, type KubeObject, type ManagedFieldsEntry } from "../../model/core.js";
import { draftOf, objectOfDraft } from "./fresh-drafts.js";
import { apiVersionOf, type Draft, type ResourceType } from "./resource-type.js";

/**
 * Stored bytes are an object's JSON without a resourceVersion, beginning with exactly
 * `{"apiVersion":"…","kind":"…","metadata":{`. So they become what is sent by putting another beginning in front:
 * the version asked for, and the revision at which the store has them.
 */
export interface StoredBytes {
  readonly value: Uint8Array;
  /** The revision at which the object was written: its resourceVersion. */
  readonly revision: number;
}

/** What is answered: the object for those who look inside, the bytes for those who send it on. */
export interface Answer {
  /** Frozen and shared. */
  readonly object: KubeObject;
  /** How many bytes {@link Answer.writeTo} writes. */
  readonly size: number;
  /** Writes the object's JSON into a buffer and returns where it ends. */
  writeTo(target: Buffer, offset: number): number;
  /** The object's JSON in a buffer of its own. */
  bytes(): Buffer;
  /** The same bytes as a text of one byte a character: the form in which small answers are joined to their headers. */
  latin1(): string;
}

/** One version of one object, as the store has it and as one kind shows it. Nothing is parsed until somebody looks. */
export class StoredObject implements Answer {
  readonly revision: number;
  /** Whether what is stored is in the storage version of today, and what the schema of today makes of it. */
  readonly upToDate: boolean;
  readonly type: ResourceType;
  /** The same bytes as another kind shows them, or at another revision. */
  sibling: StoredObject | undefined;
  readonly #stored: StoredBytes;
  /** What is sent: these two one after the other, the first as a text of one byte a character. */
  readonly #head: string;
  readonly #rest: Buffer;
  #object: KubeObject | undefined;

  /** `revision` is the object's resourceVersion, which for the last state of a deleted one is that of its deletion. */
  constructor(type: ResourceType, stored: StoredBytes, revision = stored.revision) {
    const { storage } = type;
    this.revision = revision;
    this.type = type;
    this.#stored = stored;
    const beginning = beginningOf(type);
    this.upToDate = stored.revision > storage.schemaRevision && startsWith(stored.value, beginning.stored);
    if (this.upToDate && storage.conversion === undefined) {
      // Names of groups, versions and kinds are ASCII.
      this.#head = `${beginning.shown}"resourceVersion":"${revision}",`;
      this.#rest = asBuffer(stored.value, beginning.stored.length);
    } else {
      this.#head = "";
      this.#rest = Buffer.from(JSON.stringify(this.object));
    }
  }

  /** Whether the object is pruned and defaulted by the schema of today, so that parts of it need no second look. */
  get isTidy(): boolean {
    return this.upToDate && !this.type.builtIn && this.type.storage.conversion === undefined;
  }

  /** The object, if somebody has looked at it. */
  get looked(): KubeObject | undefined {
    return this.#object;
  }

  get object(): KubeObject {
    this.#object ??= deepFreeze(this.#read());
    return this.#object;
  }

  #read(): KubeObject {
    const draft = this.isTidy ? objectOfDraft(this.#stored.value, this.type, this.revision) : undefined;
    return draft ?? readStored(this.type, this.#stored, this.revision);
  }

  get size(): number {
    return this.#head.length + this.#rest.length;
  }

  writeTo(target: Buffer, offset: number): number {
    target.write(this.#head, offset, "latin1");
    target.set(this.#rest, offset + this.#head.length);
    return offset + this.size;
  }

  bytes(): Buffer {
    const bytes = Buffer.allocUnsafe(this.size);
    this.writeTo(bytes, 0);
    return bytes;
  }

  latin1(): string {
    return this.#head + this.#rest.toString("latin1");
  }
}

/** The objects that were made of some bytes: of most one, unless several versions of a kind are in use. They go with them. */
const known = new WeakMap<Uint8Array, StoredObject>();

/**
 * One version of one object as one kind shows it. While the store, a watcher or a cache still has the bytes it is the same for
 * all who ask, so that what one write makes several parts of a process look at is parsed once.
 */
export function storedObject(
  type: ResourceType,
  stored: StoredBytes,
  revision = stored.revision,
): StoredObject {
  const first = known.get(stored.value);
  for (let each = first; each !== undefined; each = each.sibling) {
    if (each.type === type && each.revision === revision) return each;
  }
  const object = new StoredObject(type, stored, revision);
  object.sibling = first;
  // Three at most: a kind that is defined anew is another one, and bytes may outlive many of them.
  if (first?.sibling !== undefined) first.sibling.sibling = undefined;
  known.set(stored.value, object);
  return object;
}

/** What some bytes were made of, or have been made into; undefined when nobody has looked at them yet. */
export function objectKnownOf(value: Uint8Array): Pick<KubeObject, "metadata"> | undefined {
  return known.get(value)?.looked ?? draftOf(value);
}

/** An object that is in no store: a dry run's outcome, a Scale. */
export class PlainObject implements Answer {
  readonly object: KubeObject;
  #bytes: Buffer | undefined;

  constructor(object: KubeObject) {
    this.object = deepFreeze(object);
  }

  get size(): number {
    return this.bytes().length;
  }

  writeTo(target: Buffer, offset: number): number {
    return offset + this.bytes().copy(target, offset);
  }

  bytes(): Buffer {
    this.#bytes ??= Buffer.from(JSON.stringify(this.object));
    return this.#bytes;
  }

  latin1(): string {
    return this.bytes().toString("latin1");
  }
}

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
  const value = Buffer.allocUnsafe(end + 1);
  bench.copy(value, 0, 0, end + 1);
  return value;
}

const asciiComma = 0x2c;
const closingBrace = 0x7d;

const ownersOfMany = new WeakMap<readonly ManagedFieldsEntry[], Buffer>();

/** The last field of metadata: a text, or the bytes of one that many objects have. */
function ownersOf(entries: readonly ManagedFieldsEntry[]): string | Buffer {
  const known = ownersOfMany.get(entries);
  if (known !== undefined) return known;
  const text = `,"managedFields":${textOfEntries(entries)}`;
  if (!areShared(entries)) return text;
  const bytes = Buffer.from(text);
  ownersOfMany.set(entries, bytes);
  return bytes;
}

/** The object in the version of `type`; it may be changed. */
export function readStored(
  type: ResourceType,
  { value, revision }: StoredBytes,
  resourceVersion = revision,
): Draft {
  const stored = JSON.parse(asText(value)) as Draft;
  const { conversion } = type.storage;
  const object = conversion ? conversion.fromStorage(stored) : stored;
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const shown: Draft = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...metadata, resourceVersion: String(resourceVersion) },
    ...rest,
  };
  if (revision <= type.storage.schemaRevision) {
    type.rules.prune(shown);
    type.rules.applyDefaults(shown);
  }
  return shown;
}

/** How the objects of a kind begin: as they are stored, and as they are shown. */
interface Beginning {
  readonly stored: Buffer;
  readonly shown: string;
}

const beginnings = new WeakMap<ResourceType, Beginning>();

function beginningOf(type: ResourceType): Beginning {
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

function startsWith(value: Uint8Array, head: Buffer): boolean {
  return value.length >= head.length && head.compare(value, 0, head.length) === 0;
}

function asText(value: Uint8Array): string {
  return asBuffer(value, 0).toString();
}

/** The bytes from a place on, which stay shared. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array, start: number): Buffer {
  return Buffer.from(buffer, byteOffset + start, byteLength - start);
}
