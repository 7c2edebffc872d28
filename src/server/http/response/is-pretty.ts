import type { Exchange } from "../exchange.js";
import type { Negotiated } from "../negotiate.js";
import { firstValue } from "../request/query.js";

const trueTexts = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/** True when JSON is indented: as requested, else for browsers, curl and wget. */
export function isPretty(exchange: Exchange, form?: Negotiated): boolean {
  if (form?.pretty) return true;
  if (exchange.rawQuery.includes("pretty")) {
    const pretty = firstValue(exchange.query, "pretty");
    if (pretty) return trueTexts.has(pretty);
  }
  const agent = exchange.request.headers["user-agent"];
  if (agent === undefined) return false;
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
