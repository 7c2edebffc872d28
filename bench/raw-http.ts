import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { RawResponse } from "./raw-response.js";

/** Port of a server on this machine, and the certificate authority of one that uses TLS. */
export interface Endpoint {
  readonly port: number;
  readonly ca?: string | undefined;
}

/** Opens a socket; resolves when it is connected, with TLS after the handshake. */
export async function openSocket({ port, ca }: Endpoint): Promise<Socket> {
  const place = { port, host: "127.0.0.1" };
  const socket =
    ca === undefined
      ? connect({ ...place, noDelay: true })
      : connectSecurely({ ...place, ca, ALPNProtocols: ["http/1.1"] }).setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once(ca === undefined ? "connect" : "secureConnect", resolve);
    socket.once("error", reject);
  });
  return socket;
}

/**
 * One HTTP/1.1 connection that costs the client very little, so that the server is what is measured: requests are prepared
 * bytes, and only the status and length of a response are parsed.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #coming = new RawResponse();
  #answer: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("close", () => this.#answer?.reject(new Error("the connection was closed")));
    socket.on("error", (error) => this.#answer?.reject(error));
  }

  static async open(endpoint: Endpoint): Promise<RawConnection> {
    return new RawConnection(await openSocket(endpoint));
  }

  /** Sends a request and resolves with the head and body of the response; rejects unless it is a 2xx. */
  send(request: string | Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) reject(new Error("the connection was closed before"));
      this.#answer = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    const progress = this.#coming.take(chunk);
    if (progress === "incomplete") return;
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [];
    this.#coming = new RawResponse();
    if (progress === "complete") this.#answer?.resolve(bytes);
    else this.#answer?.reject(new Error(bytes.toString()));
  }
}

/** Bytes of an HTTP/1.1 request. */
export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1"];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/**
 * Responses per second when every connection sends one request after the other. A `busyWait` client never sleeps while it
 * waits: on some machines, waking a sleeping client costs the server more than the response does.
 */
export async function requestRate(
  connections: readonly RawConnection[],
  milliseconds: number,
  next: () => string,
  { busyWait = false }: { busyWait?: boolean } = {},
): Promise<number> {
  const start = performance.now();
  let done = 0;
  const keepAwake = (): void => {
    if (performance.now() - start < milliseconds) setImmediate(keepAwake);
  };
  if (busyWait) keepAwake();
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() - start < milliseconds) {
        await connection.send(next());
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - start);
}

/**
 * The better rate of sleeping and busy-waiting clients, each measured for half of the time. A server with several threads
 * could have used the processor that a busy-waiting client takes; a server with one thread could not.
 */
export async function bestRequestRate(
  connections: readonly RawConnection[],
  milliseconds: number,
  next: () => string,
): Promise<number> {
  const asleep = await requestRate(connections, milliseconds / 2, next);
  return Math.max(asleep, await requestRate(connections, milliseconds / 2, next, { busyWait: true }));
}
