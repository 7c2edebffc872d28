import { once } from "node:events";
import {
  Agent,
  createServer,
  request as send,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** Request that passes through the proxy. */
export interface Passing {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly isWatch: boolean;
  readonly isWrite: boolean;
  readonly body: string;
  /** Number of the request, from 1. */
  readonly number: number;
}

/** Fault injected into a request. */
export type Fault =
  /** Respond without forwarding the request to the server. */
  | { readonly type: "refuse"; readonly code: number; readonly reason: string; readonly retryAfter?: number }
  /** Close the connection before the request reaches the server. */
  | { readonly type: "drop" }
  /** Forward the request, and close the connection before the response. */
  | { readonly type: "lose" }
  /**
   * End the response after so many bytes: with `politely` as if it were complete, otherwise by closing the connection.
   */
  | { readonly type: "cut"; readonly after: number; readonly politely: boolean }
  /** Forward the request, and delay the response until then. */
  | { readonly type: "hold"; readonly until: Promise<void> }
  | { readonly type: "delay"; readonly milliseconds: number };

/** Chooses the fault of each request; may be asynchronous and have side effects. */
export type Plan = (request: Passing) => Fault | undefined | Promise<Fault | undefined>;

/** Recorded request, for assertions. */
export interface Seen extends Passing {
  readonly at: number;
  /** Status code; undefined without a response. */
  code?: number;
}

/** Proxy between a client and a plain HTTP server that injects faults. */
export class FaultProxy implements AsyncDisposable {
  readonly requests: Seen[] = [];
  plan: Plan = () => undefined;
  /** Called when a response has been forwarded completely. */
  onAnswered: (request: Passing) => void = () => {};
  readonly #upstream: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<ServerResponse>();
  readonly #waiting: ((request: Passing) => void)[] = [];
  #away: "silent" | "reset" | undefined;

  private constructor(upstream: string) {
    this.#upstream = new URL(upstream);
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.socket?.destroy());
    });
    this.#server.on("connection", (socket) => {
      if (this.#away === "reset") socket.destroy();
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(upstream: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Resolves with the next request. */
  next(): Promise<Passing> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Cuts the network: `silent` drops everything, `reset` closes connections. */
  cutOff(how: "silent" | "reset"): void {
    this.#away = how;
    if (how === "reset") this.#breakAll();
  }

  /** Restores the network; earlier connections stay broken. */
  reconnect(): void {
    this.#away = undefined;
    this.#breakAll();
  }

  cutWatches(): void {
    for (const watch of this.#watches) watch.socket?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#breakAll();
    this.#agent.destroy();
    await closed;
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.#away !== undefined) return;
    const { method = "GET", url = "/" } = request;
    const { pathname, searchParams } = new URL(url, this.#upstream);
    const isWatch = searchParams.get("watch") === "true";
    const seen: Seen = {
      at: performance.now(),
      method,
      path: pathname,
      isWatch,
      isWrite: method !== "GET",
      body: Buffer.concat(chunks).toString("utf8"),
      number: this.requests.length + 1,
    };
    this.requests.push(seen);
    for (const resolve of this.#waiting.splice(0)) resolve(seen);
    const fault = await this.plan(seen);
    if (fault?.type === "drop") {
      response.socket?.destroy();
      return;
    }
    if (fault?.type === "refuse") {
      seen.code = fault.code;
      refuse(response, fault);
      return;
    }
    if (fault?.type === "delay") await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
    if (isWatch) {
      this.#watches.add(response);
      response.once("close", () => this.#watches.delete(response));
    }
    await this.#forward(request, seen, response, fault);
  }

  async #forward(
    { headers, url }: IncomingMessage,
    seen: Seen,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const { host, hostname, port } = this.#upstream;
    const upstream = send({
      agent: this.#agent,
      hostname,
      port,
      method: seen.method,
      path: url,
      headers: { ...headers, host } as OutgoingHttpHeaders,
    });
    response.once("close", () => upstream.destroy());
    upstream.end(seen.body);
    const [answer] = (await once(upstream, "response")) as [IncomingMessage];
    if (fault?.type === "hold") await fault.until;
    if (fault?.type === "lose") {
      response.socket?.destroy();
      upstream.destroy();
      return;
    }
    const { "content-length": _, connection: __, "keep-alive": ___, ...kept } = answer.headers;
    // Without a Content-Length, a response that was cut politely looks complete.
    if (this.#away === undefined) response.writeHead(answer.statusCode ?? 500, kept).flushHeaders();
    let left = fault?.type === "cut" ? fault.after : Infinity;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (this.#away !== undefined) continue;
      response.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0 || fault?.type !== "cut") continue;
      if (fault.politely) response.end();
      // Flush what was written before.
      else response.socket?.end(() => response.socket?.destroy());
      upstream.destroy();
      return;
    }
    if (this.#away !== undefined) return;
    response.end();
    seen.code = answer.statusCode ?? 500;
    this.onAnswered(seen);
  }
}

function refuse(
  response: ServerResponse,
  { code, reason, retryAfter }: Extract<Fault, { type: "refuse" }>,
): void {
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `refused by the proxy: ${reason}`,
    reason,
    code,
    ...(retryAfter !== undefined && { details: { retryAfterSeconds: retryAfter } }),
  });
  response.writeHead(code, {
    "content-type": "application/json",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
  response.end(body);
}
