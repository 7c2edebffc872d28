import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { failureStatus } from "../../model/errors/status.js";
import type { Limits } from "./limits/limits.js";

/** Open connections of a server, for shutdown. */
export class Connections {
  /** Connections ready for HTTP; with TLS, those after the handshake. */
  readonly #ready = new Set<Socket>();
  /** TCP connections below TLS, including those during the handshake. */
  readonly #tcp = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();

  constructor(server: Server | Http2SecureServer, { idleTimeout }: Limits) {
    const isSecure = "setSecureContext" in server;
    server.on("connection", (socket: Socket) => track(isSecure ? this.#tcp : this.#ready, socket));
    server.on("secureConnection", (socket: Socket) => track(this.#ready, socket));
    server.on("session", (session: Http2Session) => {
      track(this.#sessions, session);
      endWhenIdle(session, idleTimeout);
    });
  }

  /** Asks HTTP/2 clients to send no new requests; a session ends with its last stream. */
  closeSessions(): void {
    for (const session of this.#sessions) session.close();
  }

  /** Closes all connections once their buffers are sent. */
  endAll(): void {
    this.closeSessions();
    for (const socket of this.#ready) if (!isHttp2(socket)) socket.destroySoon();
  }

  destroyAll(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#ready) socket.destroy();
    for (const socket of this.#tcp) socket.destroy();
  }
}

function track<Item extends Socket | Http2Session>(all: Set<Item>, item: Item): void {
  all.add(item);
  item.once("close", () => all.delete(item));
}

function isHttp2(socket: Socket): boolean {
  return (socket as { alpnProtocol?: string | false | null }).alpnProtocol === "h2";
}

/**
 * True when plain text can be written to the socket. Before the TLS handshake the protocol is unknown, and a write to an HTTP/2
 * connection makes Node abort the process.
 */
function speaksHttp1(socket: Duplex): boolean {
  const { alpnProtocol } = socket as { alpnProtocol?: string | false | null };
  return alpnProtocol !== null && alpnProtocol !== "h2";
}

/** Closes idle HTTP/2 sessions; Node itself does so for HTTP/1 only. */
function endWhenIdle(session: Http2Session, timeout: number): void {
  let streams = 0;
  session.on("stream", (stream) => {
    streams++;
    stream.once("close", () => streams--);
  });
  session.setTimeout(timeout, () => {
    if (streams === 0) session.close();
  });
}

const parserErrors = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    { code: 431, line: "Request Header Fields Too Large", text: "the headers are too large" },
  ],
  [
    "HPE_CHUNK_EXTENSIONS_OVERFLOW",
    { code: 413, line: "Payload Too Large", text: "the chunk extensions are too large" },
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    { code: 408, line: "Request Timeout", text: "the request did not arrive in time" },
  ],
]);
const malformed = { code: 400, line: "Bad Request", text: "the request is malformed" };

/** Responds with 417 to an `Expect` header other than `100-continue`. */
export function rejectExpectation(_: IncomingMessage, response: ServerResponse): void {
  const code = 417;
  const body = JSON.stringify({ ...failureStatus("BadRequest", "only 100-continue can be expected"), code });
  response.writeHead(code, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** Responds to bytes that are not valid HTTP, if the connection still allows it. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!speaksHttp1(socket)) {
    socket.destroy();
    return;
  }
  // Response under way on this connection; Node keeps it in this property.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  if (response && response.req.complete && !response.writableEnded && socket.writable) {
    // The malformed bytes follow a valid request: complete its response, then close.
    response.shouldKeepAlive = false;
    response.once("finish", () => response.req.socket.destroySoon());
    return;
  }
  if (error.code === "ECONNRESET" || !socket.writable || response?.headersSent) {
    socket.destroy();
    return;
  }
  endWithError(socket, parserErrors.get(error.code ?? "") ?? malformed);
}

/** Responds with 400 to an invalid WebSocket handshake. */
export function rejectHandshake(error: Error, socket: Duplex): void {
  endWithError(socket, { ...malformed, text: error.message });
}

/** Writes an error response to a socket, and closes it. */
function endWithError(socket: Duplex, { code, line, text }: typeof malformed): void {
  const body = JSON.stringify({ ...failureStatus("BadRequest", text), code });
  socket.end(
    `HTTP/1.1 ${code} ${line}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
