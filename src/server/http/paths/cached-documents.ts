import type { Document, DocumentSteps } from "../../discovery/document.js";
import { inTurns } from "../../event-loop/turns.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import { send, sendChunks, sendEmpty } from "../response/send.js";
import { toYaml } from "../response/yaml.js";
import type { Exchange } from "../exchange.js";
import { negotiate, type Offered } from "../negotiate.js";

/** Size of the cache in bytes, unless a single document is larger. The documents of many kinds are large. */
const maxSize = 8 * 1024 * 1024;

export type AnyDocument = Document | Document<readonly Buffer[]>;

/** False when there is no document at the path. */
export type Served = void | Promise<void> | false;

/** Cache of documents about the served kinds; emptied when the kinds change. */
export class CachedDocuments {
  readonly #types: ResourceTypes;
  readonly #documents = new Map<string, AnyDocument>();
  /** Documents that are being made. */
  readonly #pending = new Map<string, Promise<AnyDocument | undefined>>();
  #size = 0;
  #generation = -1;

  constructor(types: ResourceTypes) {
    this.#types = types;
  }

  get(
    key: string,
    make: (types: readonly ResourceType[]) => AnyDocument | undefined,
  ): AnyDocument | undefined {
    this.#dropOutdated();
    const cached = this.#documents.get(key);
    if (cached !== undefined) return cached;
    const document = make(this.#types.all);
    if (document !== undefined) this.#add(key, document);
    return document;
  }

  /** {@link get} for a large document, which is made in steps, once for all who wait for it. */
  async getInTurns(
    key: string,
    user: string,
    make: (types: readonly ResourceType[]) => DocumentSteps<AnyDocument | undefined>,
  ): Promise<AnyDocument | undefined> {
    this.#dropOutdated();
    const cached = this.#documents.get(key) ?? this.#pending.get(key);
    if (cached !== undefined) return cached;
    const generation = this.#generation;
    const making = inTurns(user, make(this.#types.all));
    this.#pending.set(key, making);
    try {
      const document = await making;
      // Kinds may have changed meanwhile.
      if (document !== undefined && generation === this.#types.generation) this.#add(key, document);
      return document;
    } finally {
      if (this.#pending.get(key) === making) this.#pending.delete(key);
    }
  }

  #dropOutdated(): void {
    const { generation } = this.#types;
    if (generation === this.#generation) return;
    this.#documents.clear();
    this.#pending.clear();
    this.#size = 0;
    this.#generation = generation;
  }

  /** Adds a document; the others make room for it. */
  #add(key: string, document: AnyDocument): void {
    const length = lengthOf(document);
    if (this.#size + length > maxSize) {
      this.#documents.clear();
      this.#size = 0;
    }
    this.#documents.set(key, document);
    this.#size += length;
  }
}

function lengthOf({ body }: AnyDocument): number {
  return typeof body === "string" ? body.length : body.reduce((sum, { length }) => sum + length, 0);
}

/** Sends a document, or 304 by its ETag. With `offer`, it is also available as YAML. */
export function serveDocument(
  exchange: Exchange,
  document: AnyDocument,
  offer?: Offered,
  cacheControl = "public, no-cache",
): void | Promise<void> {
  const { body, hash, contentType } = document;
  const headers = ["Cache-Control", cacheControl, "Vary", "Accept", "ETag", `"${hash}"`];
  if (exchange.header("if-none-match") === `"${hash}"`) return sendEmpty(exchange, 304, headers);
  if (typeof body !== "string") {
    return sendChunks(exchange, 200, contentType, lengthOf(document), body, headers);
  }
  const mediaType = offer && negotiate(exchange.header("accept"), offer).mediaType;
  if (mediaType === "application/yaml") {
    return toYaml(JSON.parse(body)).then((text) => send(exchange, 200, mediaType, text, headers));
  }
  return send(exchange, 200, contentType, body, headers);
}
