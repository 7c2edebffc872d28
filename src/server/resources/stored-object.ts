import { deepFreeze, type KubeObject } from "../../model/core.js";
import { beginningOf } from "./encode-stored.js";
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
    const { capabilities, storage } = this.type;
    return this.upToDate && capabilities.decoding === "unstructured" && storage.conversion === undefined;
  }

  /** The object, if somebody has looked at it. */
  get looked(): KubeObject | undefined {
    return this.#object;
  }

  get value(): Uint8Array {
    return this.#stored.value;
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
