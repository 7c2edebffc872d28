import { deepFreeze, type KubeObject } from "../../model/core.js";
import { prefixesOf, writerField, writerLength } from "./encode-stored.js";
import { apiVersionOf, type Draft, type ResourceType } from "./resource-type.js";

/**
 * Store entry of an object. The bytes are its JSON without a resourceVersion and begin with exactly
 * `{"apiVersion":"…","kind":"…","metadata":{"fettle.dev/user":"…",`, so they can be sent by replacing that beginning with one
 * that has the requested version and the resourceVersion, but not the user.
 */
export interface StoredEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the commit that wrote the object: its resourceVersion. */
  readonly revision: number;
}

/** Object in a response: parsed for callers in this process, encoded for the wire. Either is made when it is first needed. */
export interface ObjectResponse {
  /** Frozen and shared. */
  readonly object: KubeObject;
  /** Number of bytes that {@link ObjectResponse.writeTo} writes. */
  readonly size: number;
  /** Writes the object's JSON into a buffer and returns the offset after it. */
  writeTo(target: Buffer, offset: number): number;
  /** Object's JSON in a buffer of its own. */
  bytes(): Buffer;
  /** {@link ObjectResponse.bytes} as a latin1 string: Node joins it to the headers and sends both in one write. */
  latin1(): string;
}

/** One revision of an object, as one version of its kind presents it. */
export class StoredObject implements ObjectResponse {
  /** The object's resourceVersion. */
  readonly revision: number;
  /** The entry is in today's storage version and was written under today's schema. */
  readonly upToDate: boolean;
  readonly type: ResourceType;
  readonly stored: StoredEntry;
  /** JSON to send, in two parts; the first as a latin1 string. */
  readonly #head: string;
  readonly #rest: Buffer;
  #object: KubeObject | undefined;
  #draft: Draft | undefined;

  /**
   * `revision` is the object's resourceVersion, which for the last state of a deleted one is the revision of the deletion. `draft`
   * is the object that the entry was encoded from, if it is still in memory.
   */
  constructor(type: ResourceType, stored: StoredEntry, revision = stored.revision, draft?: Draft) {
    const { storage } = type;
    this.revision = revision;
    this.type = type;
    this.stored = stored;
    const prefixes = prefixesOf(type);
    this.upToDate = stored.revision > storage.schemaRevision && startsWith(stored.value, prefixes.stored);
    if (this.upToDate && storage.conversion === undefined) {
      // Names of groups, versions and kinds are ASCII.
      this.#head = `${prefixes.sent}"resourceVersion":"${revision}",`;
      const start = prefixes.stored.length;
      this.#rest = asBuffer(stored.value, start + writerLength(stored.value, start));
    } else {
      this.#head = "";
      this.#rest = Buffer.from(JSON.stringify(this.object));
    }
    if (this.isCanonical) this.#draft = draft;
  }

  /** The object is pruned and defaulted by today's schema, so that unchanged parts of it need not be checked again. */
  get isCanonical(): boolean {
    const { capabilities, storage } = this.type;
    return this.upToDate && capabilities.decoding === "unstructured" && storage.conversion === undefined;
  }

  /** The object's metadata, if available without parsing; may lack resourceVersion. */
  get parsedMetadata(): KubeObject["metadata"] | undefined {
    return this.#object?.metadata ?? this.#draft?.metadata;
  }

  get object(): KubeObject {
    this.#object ??= deepFreeze(this.#takeDraft() ?? readStored(this.type, this.stored, this.revision));
    return this.#object;
  }

  /** First of the two steps of reading {@link object}, for large objects. */
  parse(): void {
    if (this.#object === undefined) this.#draft ??= readStored(this.type, this.stored, this.revision);
  }

  /** Frees the draft of an object that was not read yet; a later read parses it. */
  dropDraft(): void {
    this.#draft = undefined;
  }

  #takeDraft(): Draft | undefined {
    const draft = this.#draft;
    if (draft === undefined) return undefined;
    this.#draft = undefined;
    draft.metadata["resourceVersion"] = String(this.revision);
    return draft;
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

/** Object that is not in the store: the outcome of a dry run, a Scale, a bookmark. */
export class PlainObject implements ObjectResponse {
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

/** Parses an entry into the version of `type`. The result may be changed. */
export function readStored(
  type: ResourceType,
  { value, revision }: Pick<StoredEntry, "value" | "revision">,
  resourceVersion = revision,
): Draft {
  const stored = JSON.parse(asText(value)) as Draft;
  const { conversion } = type.storage;
  const object = conversion ? conversion.fromStorage(stored) : stored;
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const { [writerField]: ___, ...ownMetadata } = metadata;
  const converted: Draft = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...ownMetadata, resourceVersion: String(resourceVersion) },
    ...rest,
  };
  if (revision <= type.storage.schemaRevision) {
    type.rules.prune(converted);
    type.rules.applyDefaults(converted);
  }
  return converted;
}

function startsWith(value: Uint8Array, head: Buffer): boolean {
  return value.length >= head.length && head.compare(value, 0, head.length) === 0;
}

function asText(value: Uint8Array): string {
  return asBuffer(value, 0).toString();
}

/** View of the bytes from an offset on. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array, start: number): Buffer {
  return Buffer.from(buffer, byteOffset + start, byteLength - start);
}
