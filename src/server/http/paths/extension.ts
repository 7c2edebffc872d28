import type { Json } from "../../../model/core.js";
import { decodeJson } from "../../decode/json.js";
import { drained, send, sendEmpty } from "../response/send.js";
import { anonymous, type User } from "../../access/user.js";
import type { HttpContext } from "../context.js";
import { isDisconnected, isHttp2, type Exchange } from "../exchange.js";
import { readBody } from "../request/read-body.js";
import { acceptWebSocket, type SocketUpgrade } from "../socket/accept-websocket.js";
import { WebSocketConnection, type SocketConnection } from "../socket/socket-connection.js";

/** A request below the path of an extension. */
export interface ExtensionRequest {
  readonly method: string;
  /** Path below the extension's own, without leading and trailing slash. */
  readonly path: string;
  /** First value of a query parameter. */
  parameter(name: string): string | undefined;
  /** Headers by their names in lower case, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly user: User;
  /** Reads the body as JSON; undefined without a body. */
  json(): Promise<Json | undefined>;
  /** Reads the body, decompressed. Throws a 413 for one with more bytes. Default: the limit of the server. */
  bytes(limit?: number): Promise<Uint8Array>;
  /** Body as a stream. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** Response of an extension: JSON, text, a stream that is read no faster than the client reads, or nothing but headers. */
export type ExtensionResponse = {
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
} & (
  | { /** Default: `application/json`. */ readonly type?: string; readonly json: unknown }
  | { readonly type: string; readonly text: string }
  | { readonly type: string; readonly stream: AsyncIterable<string | Uint8Array> }
  | { readonly empty: true }
);

/** Serves a WebSocket until the promise settles; then it is closed. */
export type ServeSocket = (connection: SocketConnection) => Promise<void>;

/**
 * Paths served beside the Kubernetes API. Errors are ApiErrors. A request with `follow=true` has no timeout and counts as a
 * watch, and so does a WebSocket.
 */
export interface Extension {
  /** Path prefix, such as `/fettle/v1`. */
  readonly path: string;
  /**
   * `path`: users need permission for the path and the method in lower case as its verb. `own`: the extension checks access itself, and
   * gets requests of anonymous users, too. Default: `path`.
   */
  readonly access?: "path" | "own" | undefined;
  /** Format of errors: a Kubernetes `Status`, or a problem as in RFC 9457. Default: `status`. */
  readonly errors?: "status" | "problem" | undefined;
  /** Handles a request; undefined responds with 404. */
  serve(request: ExtensionRequest): Promise<ExtensionResponse | undefined>;
  /**
   * Handles a request for a WebSocket, which has passed the same checks as others: returns the function that serves it, or undefined
   * for 404. An error is the response to the handshake. Without this method, `serve` gets the request.
   */
  upgrade?(request: ExtensionRequest): Promise<ServeSocket | undefined>;
  /** Largest message that a client may send over a WebSocket, in bytes; a larger one closes it. Default: 64 KiB. */
  readonly maxMessageBytes?: number | undefined;
}

const defaultMessageBytes = 64 * 1024;
const credentialHeaders = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "sec-websocket-protocol",
]);

export function extensionFor(extensions: readonly Extension[], path: string): Extension | undefined {
  return extensions.find((each) => path === each.path || path.startsWith(`${each.path}/`));
}

/** True for `follow=true`: the response lasts until the client disconnects. */
export function isFollowing({ rawQuery, query }: Exchange): boolean {
  return rawQuery.includes("follow=") && query.get("follow")?.[0] === "true";
}

/** Responds to a request; false when the extension has nothing at the path. */
export async function serveExtension(
  extension: Extension,
  exchange: Exchange,
  path: string,
  context: HttpContext,
): Promise<boolean> {
  const { watches } = context;
  const abort = new AbortController();
  const disconnect = (): void => abort.abort(new Error("the client disconnected"));
  exchange.response.once("close", disconnect);
  watches.set(abort, exchange);
  try {
    const response = await extension.serve(requestOf(extension, exchange, path, context, abort.signal));
    if (response === undefined) return false;
    await sendResponse(exchange, response);
    return true;
  } finally {
    watches.delete(abort);
    exchange.response.off("close", disconnect);
  }
}

/** Serves a WebSocket; false when the extension has none at the path. */
export async function serveUpgrade(
  extension: Extension,
  exchange: Exchange,
  path: string,
  context: HttpContext,
  upgrade: SocketUpgrade,
): Promise<boolean> {
  const { watches, clock, limits, onError } = context;
  const abort = new AbortController();
  watches.set(abort, exchange);
  try {
    const serve = await extension.upgrade?.(requestOf(extension, exchange, path, context, abort.signal));
    if (serve === undefined) return false;
    abort.signal.throwIfAborted();
    const socket = await acceptWebSocket(exchange, upgrade, extension.maxMessageBytes ?? defaultMessageBytes);
    if (socket === undefined) return true;
    const stalledAfter = limits.stalledWatchTimeout;
    const connection = new WebSocketConnection(socket, { clock, stalledAfter, abort });
    try {
      await serve(connection);
      connection.close();
    } catch (error) {
      if (!abort.signal.aborted) onError(error);
      connection.close(1011, "internal error");
    }
    return true;
  } finally {
    watches.delete(abort);
  }
}

function requestOf(
  extension: Extension,
  exchange: Exchange,
  path: string,
  { limits }: HttpContext,
  signal: AbortSignal,
): ExtensionRequest {
  let headers: Readonly<Record<string, string>> | undefined;
  return {
    method: exchange.method,
    path: path.slice(extension.path.length).replaceAll(/^\/|\/$/g, ""),
    parameter: (name) => exchange.query.get(name)?.[0],
    get headers() {
      return (headers ??= publicHeaders(exchange));
    },
    user: exchange.user ?? anonymous,
    json: async () => parse(await readBody(exchange, limits.bodyBytes)),
    bytes: (limit = limits.bodyBytes) => readBody(exchange, Math.min(limit, limits.bodyBytes)),
    body: exchange.request,
    signal,
  };
}

function publicHeaders({ request }: Exchange): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":") || credentialHeaders.has(name)) continue;
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}

function parse(body: Buffer): Json | undefined {
  return body.length === 0 ? undefined : decodeJson(body).object;
}

function sendResponse(exchange: Exchange, response: ExtensionResponse): void | Promise<void> {
  const { code = 200, headers = {} } = response;
  // HTTP/2 has no upgrades, and its responses must not have this header.
  const isAllowed = (name: string): boolean =>
    name.toLowerCase() !== "upgrade" || !isHttp2(exchange.response);
  const more = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || !isAllowed(name) ? [] : [name, value],
  );
  if ("json" in response) {
    const { type = "application/json", json } = response;
    return send(exchange, code, type, `${JSON.stringify(json)}\n`, more);
  }
  if ("text" in response) return send(exchange, code, response.type, response.text, more);
  if ("stream" in response) return sendStream(exchange, code, response.type, response.stream, more);
  return sendEmpty(exchange, code, more);
}

async function sendStream(
  exchange: Exchange,
  code: number,
  type: string,
  stream: AsyncIterable<string | Uint8Array>,
  more: readonly string[],
): Promise<void> {
  const { response } = exchange;
  if (exchange.over) return;
  response.writeHead(code, [
    "Audit-Id",
    exchange.auditId,
    "Content-Type",
    type,
    "Cache-Control",
    "no-cache, private",
    ...more,
  ]);
  response.flushHeaders();
  for await (const chunk of stream) {
    if (isDisconnected(response)) return;
    if (!response.write(chunk) && !(await drained(response, isDisconnected(response)))) return;
  }
  response.end();
}
