import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { publicProtocol } from "../auth/authenticate.js";
import { rejectHandshake } from "../connections.js";
import type { Exchange } from "../exchange.js";

/** An upgrade request, for which Node provides only the socket. */
export interface SocketUpgrade {
  readonly socket: Duplex;
  /** Bytes that were read after the headers. */
  readonly head: Buffer;
}

/** Servers by the largest message that they accept. */
const servers = new Map<number, Promise<WebSocketServer>>();

function webSockets(maxMessageBytes: number): Promise<WebSocketServer> {
  let server = servers.get(maxMessageBytes);
  if (server === undefined) {
    server = import("ws").then(({ WebSocketServer }) => {
      const sockets = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: maxMessageBytes,
        // A client that sends pings and does not read would fill the buffer with responses.
        autoPong: false,
        handleProtocols: (protocols) => publicProtocol(protocols) ?? false,
      });
      return sockets.on("wsClientError", rejectHandshake);
    });
    servers.set(maxMessageBytes, server);
  }
  return server;
}

/** Completes the handshake. Undefined when it is invalid, which the client has been told, or the client disconnected. */
export async function acceptWebSocket(
  exchange: Exchange,
  { socket, head }: SocketUpgrade,
  maxMessageBytes: number,
): Promise<WebSocket | undefined> {
  const sockets = await webSockets(maxMessageBytes);
  const { request, response } = exchange;
  if (socket.destroyed || exchange.over) return undefined;
  response.detachSocket(request.socket);
  response.statusCode = 101;
  const accepted = await new Promise<WebSocket | undefined>((resolve) => {
    socket.once("close", () => resolve(undefined));
    sockets.handleUpgrade(request, socket, head, resolve);
  });
  accepted?.on("ping", (data: Buffer) => {
    if (accepted.bufferedAmount < highWaterMark) accepted.pong(data);
  });
  return accepted;
}

/** Buffered bytes above which a sender waits for the client. */
export const highWaterMark = 64 * 1024;
