import { readFileSync } from "node:fs";
import { Agent as PlainAgent, request as plainRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type ClientHttp2Session } from "node:http2";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { isIP } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { Happenings } from "../happenings.js";
import type { TestServer } from "../test-server.js";

/** Transports of requests. */
export type Transport = "http/1.1" | "https/1.1" | "h2";

export interface Call {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | object | undefined;
  /** Token instead of the administrator's; null for none. */
  readonly token?: string | null | undefined;
}

/** Complete response. */
export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Body, which must be JSON. */
  readonly json: Json;
}

/** What tests look into without asking what it is. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** Streamed response: one JSON document per line. */
export interface Lines extends Happenings<Json> {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>;
  /** Closes the connection. */
  stop(): void;
}

/** Response of which only the headers have been read. */
export interface Head {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly abort: () => void;
}

/** Sends requests to a server over one transport, with the administrator's token by default. */
export class Wire {
  readonly transport: Transport;
  readonly #server: TestServer;
  readonly #ca: Buffer | undefined;
  readonly #agent: PlainAgent;
  #session: ClientHttp2Session | undefined;

  constructor(server: TestServer, transport: Transport) {
    this.transport = transport;
    this.#server = server;
    this.#ca = transport === "http/1.1" ? undefined : readFileSync(join(server.data, "tls", "ca.crt"));
    this.#agent =
      this.#ca === undefined
        ? new PlainAgent({ keepAlive: true })
        : new SecureAgent({ keepAlive: true, ca: this.#ca });
  }

  get(path: string, headers: Call["headers"] = {}): Promise<Answer> {
    return this.call(path, { headers });
  }

  post(path: string, body: Call["body"], headers: Call["headers"] = {}): Promise<Answer> {
    return this.call(path, { method: "POST", body, headers });
  }

  async call(path: string, call: Call = {}): Promise<Answer> {
    const { code, headers, body } = await this.open(path, call);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
    return {
      code,
      headers,
      bytes: sent,
      get text() {
        return bytes.toString();
      },
      get json() {
        return JSON.parse(bytes.toString());
      },
    };
  }

  /** Starts a watch. */
  async watch(path: string, call: Call = {}): Promise<Lines> {
    return linesOf(await this.open(path, call));
  }

  close(): void {
    this.#agent.destroy();
    this.#session?.destroy();
  }

  /** Sends a request; the caller reads the response. */
  open(
    path: string,
    { method = "GET", headers, body, token = this.#server.token }: Call = {},
  ): Promise<Head> {
    const isData = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const data = isData ? body : JSON.stringify(body);
    const all = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(data !== undefined && { "content-type": "application/json" }),
      // With a Content-Encoding, the body is sent in chunks without a length.
      ...(data !== undefined &&
        headers?.["transfer-encoding"] === undefined && {
          "content-length": String(Buffer.byteLength(data)),
        }),
      ...headers,
    };
    return this.transport === "h2"
      ? this.#sendH2(path, method, all, data)
      : this.#sendH1(path, method, all, data);
  }

  #sendH1(
    path: string,
    method: string,
    headers: Record<string, string>,
    data: string | Uint8Array | undefined,
  ): Promise<Head> {
    const { hostname, port } = new URL(this.#server.url);
    const send = this.#ca === undefined ? plainRequest : secureRequest;
    return new Promise((resolve, reject) => {
      // The certificate is checked for the address of the connection, whatever the Host header is.
      const servername = isIP(hostname) === 0 ? hostname : "localhost";
      const options = { hostname, port, path, method, headers, agent: this.#agent, servername };
      const request = send(options, (body) => {
        const { statusCode: code = 0, headers } = body;
        resolve({ code, headers, body, abort: () => request.destroy() });
      });
      request.once("error", reject);
      request.end(data);
    });
  }

  #sendH2(
    path: string,
    method: string,
    headers: Record<string, string>,
    data: string | Uint8Array | undefined,
  ): Promise<Head> {
    this.#session ??= connect(this.#server.url, { ca: this.#ca });
    const { host, ...rest } = headers;
    const stream = this.#session.request(
      {
        ":path": path,
        ":method": method,
        ...(host !== undefined && { ":authority": host }),
        ...rest,
      },
      { endStream: false },
    );
    return new Promise((resolve, reject) => {
      stream.once("error", reject);
      stream.once("response", (answer) => {
        const { ":status": code = 0, ...received } = answer;
        resolve({ code, headers: received, body: stream, abort: () => stream.close() });
      });
      stream.end(data);
    });
  }
}

/** Reads a watch from now on. */
export function linesOf({ code, headers, body, abort }: Head): Lines {
  const happenings = new Happenings<Json>();
  const lines = createInterface({ input: body });
  lines.on("line", (line) => {
    // An incomplete line of a broken connection is not an event.
    if (line.endsWith("}")) happenings.add(JSON.parse(line));
  });
  const ended = new Promise<void>((resolve) => {
    lines.once("close", () => {
      happenings.fail(new Error(`the watch ended after ${JSON.stringify(happenings.all).slice(0, 2000)}`));
      resolve();
    });
  });
  // A broken connection ends a watch like any other end.
  lines.on("error", () => {});
  body.on("error", () => lines.close());
  return Object.assign(happenings, { code, headers, ended, stop: abort });
}
