import type { HttpContext } from "../context.js";
import type { Exchange } from "../exchange.js";
import { httpOutlet } from "./http-outlet.js";
import type { RequestLine } from "../request/http-api-request.js";
import { openWatch } from "./open-watch.js";

/** Answers with a stream of events, which ends when the watch does or the client goes away. */
export async function serveWatch(context: HttpContext, exchange: Exchange, line: RequestLine): Promise<void> {
  const watch = await openWatch(context, exchange, line);
  const { response } = exchange;
  if (exchange.over) return watch.cancel();
  response.once("close", () => watch.stop());
  // No length: the headers go out now, the events as they come.
  response.writeHead(200, [
    "Audit-Id",
    exchange.auditId,
    "Cache-Control",
    "no-cache, private",
    "Content-Type",
    "application/json",
  ]);
  if (exchange.method === "HEAD") {
    response.end();
    return watch.cancel();
  }
  response.flushHeaders();
  await watch.run(httpOutlet(response, context.clock, context.limits.stalledWatchTimeout));
  response.end();
}
