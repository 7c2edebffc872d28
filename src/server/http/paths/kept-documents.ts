import type { Document } from "../../discovery/document.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import { send, sendEmpty } from "../response/send.js";
import { toYaml } from "../response/yaml.js";
import type { Exchange } from "../exchange.js";
import { negotiate, type Offered } from "../negotiate.js";

/** All that is kept at most. The documents of many kinds together are large, and asked for once. */
const mostKept = 8 * 1024 * 1024;

export type AnyDocument = Document | Document<Buffer>;

/** False: not here. */
export type Served = void | Promise<void> | false;

/** Documents about the kinds that are served, for as long as these stay the same. */
export class KeptDocuments {
  readonly #types: ResourceTypes;
  readonly #kept = new Map<string, AnyDocument>();
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
    if (generation !== this.#generation || this.#size > mostKept) {
      this.#kept.clear();
      this.#size = 0;
      this.#generation = generation;
    }
    let document = this.#kept.get(key);
    if (document === undefined) {
      document = make(this.#types.all);
      if (document === undefined) return undefined;
      this.#kept.set(key, document);
      this.#size += document.body.length;
    }
    return document;
  }
}

/** Sends a document, or says that the client has it already. `offer`: it can be had as YAML too. */
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
