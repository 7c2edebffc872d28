import type { Document } from "../../discovery/document.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import { send, sendEmpty } from "../response/send.js";
import { toYaml } from "../response/yaml.js";
import type { Exchange } from "../exchange.js";
import { negotiate, type Offered } from "../negotiate.js";

/** Size of the cache in bytes. The documents of many kinds are large, and rarely requested twice. */
const maxSize = 8 * 1024 * 1024;

export type AnyDocument = Document | Document<Buffer>;

/** False when there is no document at the path. */
export type Served = void | Promise<void> | false;

/** Cache of documents about the served kinds; emptied when the kinds change. */
export class CachedDocuments {
  readonly #types: ResourceTypes;
  readonly #documents = new Map<string, AnyDocument>();
  #size = 0;
  #generation = -1;

  constructor(types: ResourceTypes) {
    this.#types = types;
  }

  get(
    key: string,
    make: (types: readonly ResourceType[]) => AnyDocument | undefined,
  ): AnyDocument | undefined {
    const { generation } = this.#types;
    if (generation !== this.#generation || this.#size > maxSize) {
      this.#documents.clear();
      this.#size = 0;
      this.#generation = generation;
    }
    let document = this.#documents.get(key);
    if (document === undefined) {
      document = make(this.#types.all);
      if (document === undefined) return undefined;
      this.#documents.set(key, document);
      this.#size += document.body.length;
    }
    return document;
  }
}

/** Sends a document, or 304 by its ETag. With `offer`, it is also available as YAML. */
export function serveDocument(
  exchange: Exchange,
  { body, hash, contentType }: AnyDocument,
  offer?: Offered,
  cacheControl = "public, no-cache",
): void | Promise<void> {
  const headers = ["Cache-Control", cacheControl, "Vary", "Accept", "ETag", `"${hash}"`];
  if (exchange.header("if-none-match") === `"${hash}"`) return sendEmpty(exchange, 304, headers);
  const mediaType = offer && negotiate(exchange.header("accept"), offer).mediaType;
  if (mediaType === "application/yaml" && typeof body === "string") {
    return toYaml(JSON.parse(body)).then((text) => send(exchange, 200, mediaType, text, headers));
  }
  return send(exchange, 200, contentType, body, headers);
}
