import { createGzip } from "node:zlib";
import type { ApiStatus } from "../../../model/errors/status.js";
import type { ObjectResponse } from "../../resources/stored-object.js";
import { isGone, type Exchange, type HttpResponse } from "../exchange.js";

/** Answers larger than this are compressed for those who can read it. */
const worthCompressing = 128 * 1024;

/** Below this, copying a body costs less than another write. */
const smallBody = 16 * 1024;

/** Names and values in turn; a value may be a list. */
export type Headers = readonly (string | readonly string[])[];

/** What every answer says of itself. */
function headersOf(exchange: Exchange, contentType: string, more: Headers | undefined): string[] {
  const headers = ["Audit-Id", exchange.auditId, "Content-Type", contentType];
  if (more === undefined) headers.push("Cache-Control", "no-cache, private");
  else {
    // The types of Node know no lists here, its code does.
    headers.push(...(more as readonly string[]));
    if (!more.includes("Cache-Control")) headers.push("Cache-Control", "no-cache, private");
  }
  const warnings = exchange.warningHeaders;
  if (warnings !== undefined) headers.push("Warning", warnings as unknown as string);
  return headers;
}

/** Sends an answer that is there in one piece. */
export function send(
  exchange: Exchange,
  code: number,
  contentType: string,
  body: Buffer | string,
  more?: Headers,
): void | Promise<void> {
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (size > worthCompressing) return sendChunks(exchange, code, contentType, size, [body], more);
  if (exchange.over) return;
  const headers = headersOf(exchange, contentType, more);
  headers.push("Content-Length", String(size));
  exchange.response.writeHead(code, headers);
  if (exchange.method === "HEAD") exchange.response.end();
  else if (typeof body !== "string" && size < smallBody) endWith(exchange, body.toString("latin1"));
  else exchange.response.end(body);
}

/** Sends an object as it is stored. */
export function sendAnswer(
  exchange: Exchange,
  code: number,
  contentType: string,
  answer: ObjectResponse,
): void | Promise<void> {
  const { size } = answer;
  if (size >= smallBody) return send(exchange, code, contentType, answer.bytes());
  if (exchange.over) return;
  const headers = headersOf(exchange, contentType, undefined);
  headers.push("Content-Length", String(size));
  exchange.response.writeHead(code, headers);
  if (exchange.method === "HEAD") exchange.response.end();
  else endWith(exchange, answer.latin1());
}

/** A text of one byte a character is joined to the headers and sent with them in one piece. */
function endWith({ response }: Exchange, latin1: string): void {
  response.end(latin1, "latin1");
}

/** Sends a large answer piece by piece, no faster than the client reads. */
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
  const compress = size > worthCompressing && acceptsGzip(exchange.header("accept-encoding"));
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

/** Sends an answer without a body. */
export function sendEmpty(exchange: Exchange, code: number, more: Headers = []): void {
  if (exchange.over) return;
  const headers = ["Audit-Id", exchange.auditId, ...(more as readonly string[])];
  exchange.response.writeHead(code, headers).end();
}

/** Sends an answer in words. */
export function sendText(exchange: Exchange, code: number, text: string): void {
  void send(exchange, code, "text/plain; charset=utf-8", text, ["X-Content-Type-Options", "nosniff"]);
}

/** Sends a JSON document as people read it, like Kubernetes' answers outside of the API proper. */
export function sendRawJson(exchange: Exchange, code: number, value: unknown): void | Promise<void> {
  return send(exchange, code, "application/json", JSON.stringify(value, undefined, 2));
}

/** Sends a Status: what went wrong, or that there is nothing else to say. */
export function sendStatus(
  exchange: Exchange,
  code: number,
  status: ApiStatus,
  pretty: boolean,
): void | Promise<void> {
  const body = JSON.stringify(status, undefined, pretty ? 2 : undefined);
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

async function writeAll(response: HttpResponse, chunks: Iterable<Buffer | string>): Promise<void> {
  for (const chunk of chunks) {
    if (isGone(response)) return;
    if (!response.write(chunk) && !(await drained(response, isGone(response)))) return;
  }
  response.end();
}

/** The cheapest level: the others cost several times more and save little. */
async function writeCompressed(response: HttpResponse, chunks: Iterable<Buffer | string>): Promise<void> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  response.once("close", () => gzip.destroy());
  const sent = new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.once("finish", resolve);
  });
  gzip.pipe(response);
  for (const chunk of chunks) {
    if (gzip.destroyed) return;
    if (!gzip.write(chunk) && !(await drained(gzip, gzip.destroyed))) return;
  }
  gzip.end();
  await sent;
}

/** Waits until more can be written; false when nobody reads any more. */
export function drained(stream: NodeJS.EventEmitter, gone: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    if (gone) {
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
