import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { publicProtocol } from "../auth/authenticate.js";
import { answerHandshakeError } from "../connections.js";
import type { HttpRequest } from "../exchange.js";
import type { ServeWatch } from "../handler.js";
import { openWatch } from "./open-watch.js";
import { socketOutlet } from "./socket-outlet.js";

let server: Promise<WebSocketServer> | undefined;

function webSockets(): Promise<WebSocketServer> {
  server ??= import("ws").then(({ WebSocketServer }) => {
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // Clients have nothing to say.
      maxPayload: 4096,
      handleProtocols: (protocols) => publicProtocol(protocols) ?? false,
    });
    return sockets.on("wsClientError", answerHandshakeError);
  });
  return server;
}

/** Answers a watch on a connection that becomes a WebSocket. Until then failures are answered as ever. */
export function socketWatch(socket: Duplex, head: Buffer): ServeWatch {
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
    await watch.run(socketOutlet(connection, context.clock, context.limits.stalledWatchTimeout));
    connection.close(1000);
  };
}

/** Undefined when the client's handshake is none; it has been told so. */
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
