import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { failureStatus } from "../../model/errors/status.js";
import type { Limits } from "./limits/limits.js";

/** Everything that is connected to a server, so that all of it can be ended. */
export class Connections {
  /** Connections that can be spoken on; with TLS, those that have shaken hands. */
  readonly #ready = new Set<Socket>();
  /** With TLS, what lies below those, and those that are still shaking hands. */
  readonly #below = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();

  constructor(server: Server | Http2SecureServer, { idleTimeout }: Limits) {
    const isSecure = "setSecureContext" in server;
    server.on("connection", (socket: Socket) => track(isSecure ? this.#below : this.#ready, socket));
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

  /** Lets go of all as soon as what was written has been sent. */
  endAll(): void {
    this.closeSessions();
    for (const socket of this.#ready) if (!isHttp2(socket)) socket.destroySoon();
  }

  destroyAll(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#ready) socket.destroy();
    for (const socket of this.#below) socket.destroy();
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
 * With TLS it is only known once both have shaken hands. To write before that, or to what has become HTTP/2, is deadly:
 * Node aborts the whole process when HTTP/2 finds that somebody else is writing to its connection.
 */
function speaksHttp1(socket: Duplex): boolean {
  const { alpnProtocol } = socket as { alpnProtocol?: string | false | null };
  return alpnProtocol !== null && alpnProtocol !== "h2";
}

/** HTTP/1 connections are watched over by Node; a session without streams is not. */
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

/** Answers whoever expects more than to be told that a body is wanted. */
export function refuseExpectation(_: IncomingMessage, response: ServerResponse): void {
  const code = 417;
  const body = JSON.stringify({ ...failureStatus("BadRequest", "only 100-continue can be expected"), code });
  response.writeHead(code, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** Answers what is no HTTP, while there is somebody to answer. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!speaksHttp1(socket)) {
    socket.destroy();
    return;
  }
  // The answer that this connection waits for, by the name under which Node keeps it.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  if (answer && answer.req.complete && !answer.writableEnded && socket.writable) {
    // What is wrong came after a request that is being answered: that comes first, and then the end.
    answer.shouldKeepAlive = false;
    answer.once("finish", () => answer.req.socket.destroySoon());
    return;
  }
  if (error.code === "ECONNRESET" || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  refuse(socket, parserErrors.get(error.code ?? "") ?? malformed);
}

/** Tells why a connection does not become a WebSocket. */
export function answerHandshakeError(error: Error, socket: Duplex): void {
  refuse(socket, { ...malformed, text: error.message });
}

/** Says no on a bare connection, and ends it. */
function refuse(socket: Duplex, { code, line, text }: typeof malformed): void {
  const body = JSON.stringify({ ...failureStatus("BadRequest", text), code });
  socket.end(
    `HTTP/1.1 ${code} ${line}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
