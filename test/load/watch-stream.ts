import { createHash, type Hash } from "node:crypto";
import type { Socket } from "node:net";
import { openSocket, requestBytes, type Json } from "./connection.js";

const headEnd = Buffer.from("\r\n\r\n");

/** A watch, read as bytes: keeps their number and digest, and on request the bytes themselves. */
export class WatchStream {
  readonly socket: Socket;
  /** Bytes received after the head. */
  size = 0;
  /** Set when the server has sent the end of the stream. */
  ended = false;
  readonly closed: Promise<void>;
  readonly #hash: Hash = createHash("sha1");
  readonly #kept: Buffer[] | undefined;
  readonly #onData: (stream: WatchStream) => void;

  private constructor(socket: Socket, onData: (stream: WatchStream) => void, keep: boolean) {
    this.socket = socket;
    this.#onData = onData;
    this.#kept = keep ? [] : undefined;
    this.closed = new Promise((resolve) => {
      socket.once("close", () => resolve());
    });
    socket.on("error", () => {});
  }

  /** Resolves when the head of the response has arrived. */
  static async open(
    url: string,
    token: string,
    path: string,
    { keep = false, onData = () => {} }: { keep?: boolean; onData?: (stream: WatchStream) => void } = {},
  ): Promise<WatchStream> {
    const socket = await openSocket(url);
    const stream = new WatchStream(socket, onData, keep);
    socket.write(requestBytes("GET", path, token));
    await new Promise<void>((resolve, reject) => {
      let head = Buffer.alloc(0);
      const take = (chunk: Buffer): void => {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(headEnd);
        if (end < 0) return;
        socket.off("data", take);
        const text = head.toString("latin1", 0, end);
        if (text.startsWith("HTTP/1.1 200")) resolve();
        else reject(new Error(head.toString()));
        socket.on("data", (more) => stream.#take(more));
        if (head.length > end + headEnd.length) stream.#take(head.subarray(end + headEnd.length));
      };
      socket.on("data", take);
      socket.once("close", () => reject(new Error(`the watch was closed: ${head.toString()}`)));
    });
    return stream;
  }

  #take(chunk: Buffer): void {
    // The last chunk is not part of the events.
    this.ended = chunk.length >= 5 && chunk.subarray(-5).equals(lastChunk);
    const events = this.ended ? chunk.subarray(0, -5) : chunk;
    this.size += events.length;
    this.#hash.update(events);
    this.#kept?.push(events);
    this.#onData(this);
  }

  /** Hash of all bytes so far. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** All events, if the bytes are kept. */
  events(): Json[] {
    return eventsOf(Buffer.concat(this.#kept ?? []));
  }
}

const lastChunk = Buffer.from("0\r\n\r\n");

/** Complete events in the body of a watch. */
export function eventsOf(body: Buffer): Json[] {
  const events: Json[] = [];
  for (let at = 0; at < body.length;) {
    const line = body.indexOf("\r\n", at);
    if (line < 0) break;
    const size = Number.parseInt(body.toString("latin1", at, line), 16);
    const start = line + 2;
    if (size === 0 || start + size + 2 > body.length) break;
    const lines = body
      .toString("utf8", start, start + size)
      .trimEnd()
      .split("\n");
    for (const text of lines) events.push(JSON.parse(text));
    at = start + size + 2;
  }
  return events;
}
