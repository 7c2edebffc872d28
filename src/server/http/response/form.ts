import type { Exchange } from "../exchange.js";
import {
  listOffer,
  negotiate,
  objectOffer,
  plainOffer,
  watchOffer,
  type Negotiated,
  type Offered,
} from "../negotiate.js";
import { textOf } from "../request/query.js";

/** Clients send few different headers, but nobody stops one from sending a new one every time. */
const mostKept = 200;
const kept = new Map<Offered, Map<string, Negotiated>>(
  [objectOffer, listOffer, watchOffer, plainOffer].map((offer) => [offer, new Map()]),
);

/** In which form the client wants its answer. Throws 406 when there is none. */
export function formOf(exchange: Exchange, offered: Offered): Negotiated {
  const accept = exchange.request.headers.accept ?? "";
  const known = kept.get(offered);
  let form = known?.get(accept);
  if (form === undefined) {
    form = negotiate(accept, offered);
    if (known !== undefined) {
      if (known.size >= mostKept) known.clear();
      known.set(accept, form);
    }
  }
  return form;
}

const truths = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/** Whether a person reads the answer: it says so, or comes from a browser, curl or wget. */
export function isPretty(exchange: Exchange, form?: Negotiated): boolean {
  if (form?.pretty) return true;
  if (exchange.rawQuery.includes("pretty")) {
    const asked = textOf(exchange.query, "pretty");
    if (asked) return truths.has(asked);
  }
  const agent = exchange.request.headers["user-agent"];
  if (agent === undefined) return false;
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
