import {
  aggregatedConversions,
  aggregatedDiscovery,
  type AggregatedVersion,
} from "../../discovery/aggregated.js";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../../discovery/resource-lists.js";
import type { ResourceTypes } from "../../resources/resource-types.js";
import type { Exchange } from "../exchange.js";
import { negotiate, plainOffer, type Offered } from "../negotiate.js";
import { PageNotFound } from "../../request/resolve.js";
import { KeptDocuments, serveDocument, type Served } from "./kept-documents.js";

const discoveryOffer: Offered = {
  mediaTypes: plainOffer.mediaTypes,
  conversions: aggregatedConversions,
};

/** Discovery and OpenAPI: what is told of the kinds that are served. */
export class Documents {
  readonly #serverAddress: () => string | undefined;
  readonly #kept: KeptDocuments;

  constructor(types: ResourceTypes, serverAddress: () => string | undefined) {
    this.#kept = new KeptDocuments(types);
    this.#serverAddress = serverAddress;
  }

  /** Answers if the path is that of a document; false when it is none, or of something that is not served. */
  serve(exchange: Exchange, path: string): Served {
    const parts = path.split("/");
    while (parts.length > 1 && parts.at(-1) === "") parts.pop();
    const [, root, first, second, third, fourth, ...more] = parts;
    if (more.length > 0) return false;
    if (root === "openapi") return this.#serveOpenApi(exchange, [first, second, third, fourth]);
    if ((root !== "api" && root !== "apis") || third !== undefined) return false;
    if (first === undefined) return this.#serveRoot(exchange, root);
    const document = this.#kept.get(path, (types) => {
      if (root === "api") return second === undefined ? apiResourceList(types, "", first) : undefined;
      return second === undefined ? apiGroup(types, first) : apiResourceList(types, first, second);
    });
    return document === undefined ? false : serveDocument(exchange, document, plainOffer);
  }

  #serveRoot(exchange: Exchange, root: "api" | "apis"): Served {
    const { as } = negotiate(exchange.header("accept"), discoveryOffer);
    const document = this.#kept.get(`${root} ${as?.version ?? ""}`, (types) => {
      if (as !== undefined) return aggregatedDiscovery(types, root, as.version as AggregatedVersion);
      return root === "api" ? apiVersions(types, this.#serverAddress()) : apiGroupList(types);
    });
    if (document === undefined) return false;
    return serveDocument(exchange, document, as === undefined ? discoveryOffer : undefined);
  }

  /** These documents are asked for rarely, so what makes them is loaded when they are. */
  async #serveOpenApi(exchange: Exchange, parts: readonly (string | undefined)[]): Promise<void> {
    const { serveOpenApi } = await import("./openapi-documents.js");
    const served = serveOpenApi(this.#kept, exchange, parts);
    if (served === false) throw new PageNotFound();
    await served;
  }
}
