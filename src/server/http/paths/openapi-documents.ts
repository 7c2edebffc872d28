import { openApiV2Protobuf, openApiV2ProtobufTypes } from "../../openapi/openapi-v2-protobuf.js";
import { openApiV2, openApiV2Content } from "../../openapi/openapi-v2.js";
import { openApiV3, openApiV3Index, openApiV3Url } from "../../openapi/openapi-v3.js";
import { sendEmpty } from "../response/send.js";
import type { Exchange } from "../exchange.js";
import { negotiate, type Offered } from "../negotiate.js";
import { firstValue } from "../request/query.js";
import { serveDocument, type CachedDocuments, type Served } from "./cached-documents.js";

const v2Offer: Offered = { mediaTypes: ["application/json", ...openApiV2ProtobufTypes] };
const v3Offer: Offered = { mediaTypes: ["application/json"] };

/** Sends the document at a path below `/openapi`; false when there is none. */
export async function serveOpenApi(
  cache: CachedDocuments,
  exchange: Exchange,
  [format, root, first, second]: readonly (string | undefined)[],
): Promise<Served> {
  const user = exchange.user?.name ?? "";
  if (format === "v2" && root === undefined) {
    const { mediaType } = negotiate(exchange.header("accept"), v2Offer);
    const document = await cache.getInTurns(`v2 ${mediaType}`, user, (types) =>
      mediaType === "application/json" ? openApiV2(types) : openApiV2Protobuf(openApiV2Content(types)),
    );
    return document === undefined ? false : serveDocument(exchange, document);
  }
  if (format !== "v3") return false;
  if (root === undefined) {
    const document = await cache.getInTurns("v3", user, openApiV3Index);
    return document === undefined ? false : serveDocument(exchange, document);
  }
  const [group, version] = root === "api" && second === undefined ? ["", first] : [first, second];
  if (group === undefined || version === undefined || (root !== "api" && root !== "apis")) return false;
  const document = await cache.getInTurns(`v3 ${group}/${version}`, user, (types) =>
    openApiV3(types, group, version),
  );
  if (document === undefined) return false;
  negotiate(exchange.header("accept"), v3Offer);
  const hash = firstValue(exchange.query, "hash");
  if (!hash) return serveDocument(exchange, document);
  if (hash !== document.hash) {
    const url = openApiV3Url(group, version, document.hash);
    return sendEmpty(exchange, 301, [
      "Location",
      url,
      "Vary",
      "Accept",
      "Cache-Control",
      "no-cache, private",
    ]);
  }
  // The URL contains the hash of the content, so the response never changes.
  return serveDocument(exchange, document, undefined, "public, immutable, max-age=31536000");
}
