import type { Exchange } from "../exchange.js";
import {
  listOffer,
  negotiate,
  objectOffer,
  objectWithoutTableOffer,
  plainOffer,
  watchOffer,
  type Negotiated,
  type Offered,
} from "../negotiate.js";
import { textOf } from "../request/query.js";

/** Cached `Accept` headers per offer; bounded, since a client could send a new one each time. */
const maxCached = 200;
const cache = new Map<Offered, Map<string, Negotiated>>(
  [objectOffer, objectWithoutTableOffer, listOffer, watchOffer, plainOffer].map((offer) => [
    offer,
    new Map(),
  ]),
);

/** Format of the response by the `Accept` header. Throws 406 when none is supported. */
export function formOf(exchange: Exchange, offered: Offered): Negotiated {
  const accept = exchange.request.headers.accept ?? "";
  const cached = cache.get(offered);
  let form = cached?.get(accept);
  if (form === undefined) {
    form = negotiate(accept, offered);
    if (cached !== undefined) {
      if (cached.size >= maxCached) cached.clear();
      cached.set(accept, form);
    }
  }
  return form;
}

const trueTexts = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/** True when JSON is indented: as requested, else for browsers, curl and wget. */
export function isPretty(exchange: Exchange, form?: Negotiated): boolean {
  if (form?.pretty) return true;
  if (exchange.rawQuery.includes("pretty")) {
    const pretty = textOf(exchange.query, "pretty");
    if (pretty) return trueTexts.has(pretty);
  }
  const agent = exchange.request.headers["user-agent"];
  if (agent === undefined) return false;
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
