import { deepFreeze, type KubeObject } from "../../model/core.js";
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
}

const empty = Buffer.alloc(0);

/** One version of one object, as the store has it and as one kind shows it. Nothing is parsed until somebody looks. */
export class StoredObject implements Answer {
  readonly revision: number;
  /** Whether what is stored is in the storage version of today, and what the schema of today makes of it. */
  readonly upToDate: boolean;
  readonly #type: ResourceType;
  readonly #stored: StoredBytes;
  /** What {@link Answer.writeTo} writes: these two one after the other. */
  readonly #head: Buffer;
  readonly #rest: Uint8Array;
  #object: KubeObject | undefined;

  /** `revision` is the object's resourceVersion, which for the last state of a deleted one is that of its deletion. */
  constructor(type: ResourceType, stored: StoredBytes, revision = stored.revision) {
    const { storage } = type;
    this.revision = revision;
    this.#type = type;
    this.#stored = stored;
    const beginning = beginningOf(type);
    this.upToDate = stored.revision > storage.schemaRevision && startsWith(stored.value, beginning.stored);
    if (this.upToDate && storage.conversion === undefined) {
      this.#head = Buffer.from(`${beginning.shown}"resourceVersion":"${revision}",`);
      this.#rest = stored.value.subarray(beginning.stored.length);
    } else {
      this.#head = Buffer.from(JSON.stringify(this.object));
      this.#rest = empty;
    }
  }

  get object(): KubeObject {
    this.#object ??= deepFreeze(readStored(this.#type, this.#stored, this.revision)) as KubeObject;
    return this.#object;
  }

  get size(): number {
    return this.#head.length + this.#rest.length;
  }

  writeTo(target: Buffer, offset: number): number {
    target.set(this.#head, offset);
    target.set(this.#rest, offset + this.#head.length);
    return offset + this.size;
  }

  bytes(): Buffer {
    const bytes = Buffer.allocUnsafe(this.size);
    this.writeTo(bytes, 0);
    return bytes;
  }
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
}

/** The stored form of an object in its storage version. It has metadata, if only a name. */
export function encodeStored({ apiVersion, kind, metadata, ...rest }: Draft): Uint8Array {
  const { resourceVersion: _, ...stored } = metadata;
  // In pieces, since JSON puts fields that look like numbers in front of all others.
  const fields = JSON.stringify(rest).slice(1);
  const comma = fields === "}" ? "" : ",";
  return Buffer.from(begin(apiVersion, kind) + JSON.stringify(stored).slice(1) + comma + fields);
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
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}
