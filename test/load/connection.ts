import { connect, type Socket } from "node:net";

/** A complete response. */
export interface Reply {
  readonly code: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Buffer;
  /** Body, parsed as JSON. */
  readonly json: Json;
}

/** Parsed JSON, whose shape the test knows. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

const headEnd = Buffer.from("\r\n\r\n");
/** End of a chunked response: the chunk before it, and an empty one. */
const lastChunk = Buffer.from("\r\n0\r\n\r\n");

/** Bytes of an HTTP/1.1 request. */
export function requestBytes(method: string, path: string, token: string, body?: object | string): string {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${token}`];
  if (text !== undefined) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    lines.push(`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(text)}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n${text ?? ""}`;
}

/**
 * A client with one connection and one request at a time. It costs so little that thousands of them in one process wait for
 * the server rather than for each other.
 */
export class Connection {
  readonly #url: string;
  readonly #token: string;
  #socket: Socket;
  #received: Buffer[] = [];
  #size = 0;
  /** Head of the response being received, and the length of the whole response. */
  #head: { readonly text: string; readonly length: number; readonly total: number } | undefined;
  #answer: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;

  private constructor(url: string, token: string, socket: Socket) {
    this.#url = url;
    this.#token = token;
    this.#socket = socket;
    this.#listen(socket);
  }

  static async open(url: string, token: string): Promise<Connection> {
    return new Connection(url, token, await openSocket(url));
  }

  async ask(method: string, path: string, body?: object | string): Promise<Reply> {
    // The server closes idle connections.
    if (this.#socket.destroyed || this.#socket.readableEnded) {
      this.#socket = await openSocket(this.#url);
      this.#listen(this.#socket);
    }
    return new Promise((resolve, reject) => {
      if (this.#answer !== undefined) throw new Error("this connection waits for another answer");
      this.#answer = { resolve, reject };
      this.#socket.write(requestBytes(method, path, this.#token, body));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #listen(socket: Socket): void {
    this.#received = [];
    this.#size = 0;
    this.#head = undefined;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
    socket.on("error", (error) => this.#fail(error));
  }

  #fail(error: Error): void {
    this.#answer?.reject(error);
    this.#answer = undefined;
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    if (this.#head === undefined) {
      const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
      const end = bytes.indexOf(headEnd);
      if (end < 0) return;
      const text = bytes.toString("latin1", 0, end);
      const chunked = /^transfer-encoding: *chunked$/im.test(text);
      const length = chunked ? Infinity : Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
      this.#head = { text, length, total: end + headEnd.length + length };
    }
    const { text, length, total } = this.#head;
    // Lists that are sent while they are read have no length; JSON does not contain the mark of their end.
    const isComplete = length === Infinity ? endsWith(this.#received, lastChunk) : this.#size >= total;
    if (!isComplete) return;
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [];
    this.#size = 0;
    this.#head = undefined;
    const answer = this.#answer;
    this.#answer = undefined;
    const body = length === Infinity ? unchunked(all) : all.subarray(total - length, total);
    answer?.resolve(replyOf(text, body));
  }
}

function endsWith(chunks: readonly Buffer[], end: Buffer): boolean {
  const [last = Buffer.alloc(0)] = chunks.slice(-1);
  const tail = last.length >= end.length ? last : Buffer.concat(chunks.slice(-2));
  return tail.subarray(-end.length).equals(end);
}

/** Body of a chunked response. */
function unchunked(response: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = response.indexOf(headEnd) + headEnd.length;
  for (;;) {
    const lineEnd = response.indexOf("\r\n", at);
    const size = Number.parseInt(response.toString("latin1", at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(response.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

function replyOf(head: string, bytes: Buffer): Reply {
  const [first = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    code: Number(first.split(" ")[1]),
    headers: new Map(headers),
    bytes,
    get json() {
      return JSON.parse(bytes.toString());
    },
  };
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

/** Opens many connections of one user, a few at a time so that the listen backlog does not overflow. */
export async function openMany(url: string, token: string, count: number): Promise<Connection[]> {
  const all: Connection[] = [];
  while (all.length < count) {
    const some = Math.min(200, count - all.length);
    all.push(...(await Promise.all(Array.from({ length: some }, () => Connection.open(url, token)))));
  }
  return all;
}
