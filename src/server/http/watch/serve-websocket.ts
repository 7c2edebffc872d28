import { acceptWebSocket, type SocketUpgrade } from "../socket/accept-websocket.js";
import { openWatch } from "./open-watch.js";
import type { serveWatch } from "./serve-watch.js";
import { webSocketSink } from "./websocket-sink.js";

/** Largest message of a client, in bytes; it has nothing to send. */
const maxMessageBytes = 4096;

/** Serves a watch over a WebSocket. Errors before the upgrade are plain HTTP responses. */
export function webSocketWatch(upgrade: SocketUpgrade): typeof serveWatch {
  return async (context, exchange, line) => {
    const watch = await openWatch(context, exchange, line);
    const connection = await acceptWebSocket(exchange, upgrade, maxMessageBytes);
    if (connection === undefined) return watch.cancel();
    connection.once("close", () => watch.stop());
    connection.on("error", () => watch.stop());
    await watch.run(webSocketSink(connection, context.clock, context.limits.stalledWatchTimeout));
    connection.close(1000);
  };
}
