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
import { CachedDocuments, serveDocument, type Served } from "./cached-documents.js";

const discoveryOffer: Offered = {
  mediaTypes: plainOffer.mediaTypes,
  conversions: aggregatedConversions,
};

/** Serves the discovery and OpenAPI documents of all kinds. */
export class Documents {
  readonly #serverAddress: () => string | undefined;
  readonly #cache: CachedDocuments;

  constructor(types: ResourceTypes, serverAddress: () => string | undefined) {
    this.#cache = new CachedDocuments(types);
    this.#serverAddress = serverAddress;
  }

  /** Sends the document at a path; false when there is none. */
  serve(exchange: Exchange, path: string): Served {
    const parts = path.split("/");
    while (parts.length > 1 && parts.at(-1) === "") parts.pop();
    const [, root, first, second, third, fourth, ...more] = parts;
    if (more.length > 0) return false;
    if (root === "openapi") return this.#serveOpenApi(exchange, [first, second, third, fourth]);
    if ((root !== "api" && root !== "apis") || third !== undefined) return false;
    if (first === undefined) return this.#serveRoot(exchange, root);
    const document = this.#cache.get(path, (types) => {
      if (root === "api") return second === undefined ? apiResourceList(types, "", first) : undefined;
      return second === undefined ? apiGroup(types, first) : apiResourceList(types, first, second);
    });
    return document === undefined ? false : serveDocument(exchange, document, plainOffer);
  }

  #serveRoot(exchange: Exchange, root: "api" | "apis"): Served {
    const { as } = negotiate(exchange.header("accept"), discoveryOffer);
    const document = this.#cache.get(`${root} ${as?.version ?? ""}`, (types) => {
      if (as !== undefined) return aggregatedDiscovery(types, root, as.version as AggregatedVersion);
      return root === "api" ? apiVersions(types, this.#serverAddress()) : apiGroupList(types);
    });
    if (document === undefined) return false;
    return serveDocument(exchange, document, as === undefined ? discoveryOffer : undefined);
  }

  /** Loads the OpenAPI code on demand, since it is rarely needed. */
  async #serveOpenApi(exchange: Exchange, parts: readonly (string | undefined)[]): Promise<void> {
    const { serveOpenApi } = await import("./openapi-documents.js");
    const served = await serveOpenApi(this.#cache, exchange, parts);
    if (served === false) throw new PageNotFound();
  }
}
