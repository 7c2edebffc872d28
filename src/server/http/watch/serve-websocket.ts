import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { publicProtocol } from "../auth/authenticate.js";
import { rejectHandshake } from "../connections.js";
import type { HttpRequest } from "../exchange.js";
import type { ServeWatch } from "../handler.js";
import { openWatch } from "./open-watch.js";
import { webSocketSink } from "./websocket-sink.js";

let server: Promise<WebSocketServer> | undefined;

function webSockets(): Promise<WebSocketServer> {
  server ??= import("ws").then(({ WebSocketServer }) => {
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // Clients have nothing to send.
      maxPayload: 4096,
      handleProtocols: (protocols) => publicProtocol(protocols) ?? false,
    });
    return sockets.on("wsClientError", rejectHandshake);
  });
  return server;
}

/** Serves a watch over a WebSocket. Errors before the upgrade are plain HTTP responses. */
export function webSocketWatch(socket: Duplex, head: Buffer): ServeWatch {
  return async (context, exchange, line) => {
    const watch = await openWatch(context, exchange, line);
    const sockets = await webSockets();
    const { request, response } = exchange;
    if (socket.destroyed || exchange.over) return watch.cancel();
    response.detachSocket(request.socket);
    response.statusCode = 101;
    const connection = await upgrade(sockets, request, socket, head);
    if (connection === undefined) return watch.cancel();
    connection.once("close", () => watch.stop());
    connection.on("error", () => watch.stop());
    await watch.run(webSocketSink(connection, context.clock, context.limits.stalledWatchTimeout));
    connection.close(1000);
  };
}

/** Undefined when the handshake is invalid; the client has its error response then. */
function upgrade(
  sockets: WebSocketServer,
  request: HttpRequest,
  socket: Duplex,
  head: Buffer,
): Promise<WebSocket | undefined> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve(undefined));
    sockets.handleUpgrade(request, socket, head, resolve);
  });
}
