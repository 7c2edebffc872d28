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

/** Parses a stream of newline-delimited JSON; closes it in the end. */
export async function* readJsonLines(
  open: () => Promise<OpenStream>,
  title: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  /** Incomplete last line. */
  let parts: Buffer[] = [];
  let stream: OpenStream | undefined;
  try {
    if (signal?.aborted === true) return;
    stream = await open();
    for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
      for (const chunk of chunks) {
        let start = 0;
        for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
          const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
          parts = [];
          start = end + 1;
          if (line.length > 0) yield parse(line, title);
        }
        if (start < chunk.length) parts.push(chunk.subarray(start));
      }
    }
    if (parts.length > 0) yield parse(Buffer.concat(parts), title);
  } catch (error) {
    // An abort ends the stream without an error.
    if (signal?.aborted !== true) throw error;
  } finally {
    stream?.close(new Error("the reader has stopped"));
  }
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
