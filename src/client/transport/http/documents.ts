import type { CallOptions } from "../transport.js";
import { ConnectionError } from "../transport.js";
import { excerpt } from "./responses/failure.js";
import type { OpenStream } from "./calls/request-sender.js";
import type { QueryParameters } from "./paths.js";

/** Options of a request to a path without a kind: discovery, OpenAPI, tables, custom endpoints. */
export interface DocumentOptions extends CallOptions {
  readonly query?: QueryParameters | undefined;
  /** Accept header. Default: JSON. */
  readonly accept?: string | undefined;
  /** Default: GET without content, POST with content. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | undefined;
  /** Body, sent as JSON. */
  readonly content?: unknown;
}

const newline = 10;

/** Reads a stream no faster than its consumer does; closes it in the end. */
export async function* readBytes(
  open: () => Promise<OpenStream>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  let stream: OpenStream | undefined;
  try {
    if (signal?.aborted === true) return;
    stream = await open();
    for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) yield* chunks;
  } catch (error) {
    // An abort ends the stream without an error.
    if (signal?.aborted !== true) throw error;
  } finally {
    stream?.close(new Error("the reader has stopped"));
  }
}

/** Parses a stream of newline-delimited JSON. */
export async function* readJsonLines(
  bytes: AsyncIterable<Buffer>,
  title: string,
): AsyncGenerator<unknown, void, undefined> {
  /** Incomplete last line. */
  let parts: Buffer[] = [];
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
      if (line.length > 0) yield parse(line, title);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield parse(Buffer.concat(parts), title);
}

function parse(line: Buffer, title: string): unknown {
  try {
    return JSON.parse(line.toString());
  } catch (cause) {
    throw new ConnectionError(`the response to ${title} has a line that is not JSON: ${excerpt(line)}`, {
      cause,
    });
  }
}
