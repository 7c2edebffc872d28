import type { HttpContext } from "../context.js";
import type { Exchange } from "../exchange.js";
import { httpSink } from "./http-sink.js";
import type { RequestLine } from "../request/http-api-request.js";
import { openWatch } from "./open-watch.js";

/** Responds with a stream of events, which ends with the watch or when the client disconnects. */
export async function serveWatch(context: HttpContext, exchange: Exchange, line: RequestLine): Promise<void> {
  const watch = await openWatch(context, exchange, line);
  const { response } = exchange;
  if (exchange.over) return watch.cancel();
  response.once("close", () => watch.stop());
  // Without Content-Length: headers are sent now, events as they occur.
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
  await watch.run(httpSink(response, context.clock, context.limits.stalledWatchTimeout));
  response.end();
}
