import { createGzip } from "node:zlib";
import type { ApiStatus } from "../../../model/errors/status.js";
import type { ObjectResponse } from "../../resources/stored-object.js";
import { isDisconnected, type Exchange, type HttpResponse } from "../exchange.js";

/** Size in bytes above which responses are compressed, if the client accepts gzip. */
const gzipThreshold = 128 * 1024;

/** Size in bytes below which copying a body costs less than another write. */
const smallBody = 16 * 1024;

type Chunks = Iterable<Buffer | string> | AsyncIterable<Buffer | string>;

/** Header names and values alternating; a value may be a list. */
export type Headers = readonly (string | readonly string[])[];

/** Headers of every response, and `more`. */
function headersOf(exchange: Exchange, contentType: string, more: Headers | undefined): string[] {
  const headers = ["Audit-Id", exchange.auditId, "Content-Type", contentType];
  if (more === undefined) headers.push("Cache-Control", "no-cache, private");
  else {
    // Node accepts lists here, though its types do not.
    headers.push(...(more as readonly string[]));
    if (!more.includes("Cache-Control")) headers.push("Cache-Control", "no-cache, private");
  }
  const warnings = exchange.warningHeaders;
  if (warnings !== undefined) headers.push("Warning", warnings as unknown as string);
  return headers;
}

/** Sends a body. */
export function send(
  exchange: Exchange,
  code: number,
  contentType: string,
  body: Buffer | string,
  more?: Headers,
): void | Promise<void> {
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size > gzipThreshold) return sendChunks(exchange, code, contentType, size, [body], more);
  if (exchange.over) return;
  const headers = headersOf(exchange, contentType, more);
  headers.push("Content-Length", String(size));
  exchange.response.writeHead(code, headers);
  if (exchange.method === "HEAD") exchange.response.end();
  else if (typeof body !== "string" && size < smallBody) endWith(exchange, body.toString("latin1"));
  else exchange.response.end(body);
}

/** Sends an object as it is stored. */
export function sendStored(
  exchange: Exchange,
  code: number,
  contentType: string,
  stored: ObjectResponse,
): void | Promise<void> {
  const size = stored.size + 1;
  if (size >= smallBody) return send(exchange, code, contentType, lineOf(stored));
  if (exchange.over) return;
  const headers = headersOf(exchange, contentType, undefined);
  headers.push("Content-Length", String(size));
  exchange.response.writeHead(code, headers);
  if (exchange.method === "HEAD") exchange.response.end();
  else endWith(exchange, `${stored.latin1()}\n`);
}

/** An object's JSON and a newline, with which compact JSON ends in Kubernetes. */
function lineOf(stored: ObjectResponse): Buffer {
  const line = Buffer.allocUnsafe(stored.size + 1);
  line[stored.writeTo(line, 0)] = newline;
  return line;
}

const newline = 0x0a;

/** Ends with a latin1 string, which Node sends with the headers in a single write. */
function endWith({ response }: Exchange, latin1: string): void {
  response.end(latin1, "latin1");
}

/** Sends a body of unknown size while its chunks are made, no faster than the client reads. */
export async function sendStream(
  exchange: Exchange,
  code: number,
  contentType: string,
  chunks: AsyncGenerator<Buffer | string, void, undefined>,
): Promise<void> {
  try {
    if (exchange.over) return;
    const { response } = exchange;
    const headers = headersOf(exchange, contentType, undefined);
    const compress = acceptsGzip(exchange.header("accept-encoding"));
    if (compress) addVary(headers, "Content-Encoding", "gzip");
    response.writeHead(code, headers);
    if (exchange.method === "HEAD") response.end();
    else if (compress) await writeCompressed(response, chunks);
    else await writeAll(response, chunks);
  } finally {
    await chunks.return();
  }
}

/** Sends a large body in chunks, no faster than the client reads. */
export async function sendChunks(
  exchange: Exchange,
  code: number,
  contentType: string,
  size: number,
  chunks: Iterable<Buffer | string>,
  more?: Headers,
): Promise<void> {
  if (exchange.over) return;
  const { response } = exchange;
  const headers = headersOf(exchange, contentType, more);
  const compress = size > gzipThreshold && acceptsGzip(exchange.header("accept-encoding"));
  if (compress) addVary(headers, "Content-Encoding", "gzip");
  else headers.push("Content-Length", String(size));
  response.writeHead(code, headers);
  if (exchange.method === "HEAD") {
    response.end();
    return;
  }
  if (compress) await writeCompressed(response, chunks);
  else await writeAll(response, chunks);
}

/** Sends a response without a body. */
export function sendEmpty(exchange: Exchange, code: number, more: Headers = []): void {
  if (exchange.over) return;
  const headers = ["Audit-Id", exchange.auditId, ...(more as readonly string[])];
  exchange.response.writeHead(code, headers).end();
}

/** Sends plain text. */
export function sendText(exchange: Exchange, code: number, text: string): void {
  void send(exchange, code, "text/plain; charset=utf-8", text, ["X-Content-Type-Options", "nosniff"]);
}

/** Sends indented JSON, as Kubernetes does outside of its API. */
export function sendRawJson(exchange: Exchange, code: number, value: unknown): void | Promise<void> {
  return send(exchange, code, "application/json", JSON.stringify(value, undefined, 2));
}

/** Sends a Status, with the headers that depend on it. */
export function sendStatus(
  exchange: Exchange,
  code: number,
  status: ApiStatus,
  pretty: boolean,
): void | Promise<void> {
  const body = pretty ? JSON.stringify(status, undefined, 2) : `${JSON.stringify(status)}\n`;
  const seconds = status.details?.retryAfterSeconds;
  const more: string[] = seconds ? ["Retry-After", String(seconds)] : [];
  if (code === 403) more.push("X-Content-Type-Options", "nosniff");
  return send(exchange, code, "application/json", body, more);
}

function addVary(headers: string[], ...more: string[]): void {
  const vary = headers.indexOf("Vary");
  if (vary < 0) headers.push("Vary", "Accept-Encoding");
  else headers[vary + 1] += ", Accept-Encoding";
  headers.push(...more);
}

function acceptsGzip(accepted: string | undefined): boolean {
  return accepted !== undefined && accepted.split(",").some((part) => part.trim() === "gzip");
}

async function writeAll(response: HttpResponse, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    if (isDisconnected(response)) return;
    if (!response.write(chunk) && !(await drained(response, isDisconnected(response)))) return;
  }
  response.end();
}

/** Compresses with the fastest level: others cost several times more and save little. */
async function writeCompressed(response: HttpResponse, chunks: Chunks): Promise<void> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  response.once("close", () => gzip.destroy());
  const sent = new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.once("finish", resolve);
  });
  gzip.pipe(response);
  for await (const chunk of chunks) {
    if (gzip.destroyed) return;
    if (!gzip.write(chunk) && !(await drained(gzip, gzip.destroyed))) return;
  }
  gzip.end();
  await sent;
}

/** Waits until more can be written; resolves to false when the stream is closed. */
export function drained(stream: NodeJS.EventEmitter, isClosed: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    if (isClosed) {
      resolve(false);
      return;
    }
    const drain = (): void => {
      stream.off("close", close);
      resolve(true);
    };
    const close = (): void => {
      stream.off("drain", drain);
      resolve(false);
    };
    stream.once("drain", drain);
    stream.once("close", close);
  });
}
