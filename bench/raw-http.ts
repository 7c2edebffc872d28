import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { RawAnswer } from "./raw-answer.js";

/** Where a server listens on this machine, and the authority that signed its certificate where it speaks TLS. */
export interface Endpoint {
  readonly port: number;
  readonly ca?: string | undefined;
}

/** A socket that is connected, and past its handshake where there is one. */
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
 * One HTTP/1.1 connection that costs its process next to nothing: requests are bytes made beforehand, and of an answer
 * only status and length are looked at. So the server is what is measured.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #coming = new RawAnswer();
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

  /** Sends a request and resolves with head and body of the answer; any answer but a 2xx is an error. */
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
    this.#coming = new RawAnswer();
    if (progress === "complete") this.#answer?.resolve(bytes);
    else this.#answer?.reject(new Error(bytes.toString()));
  }
}

/** The bytes of a request. */
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
 * How many requests a second get answered when `connections` ask one after the other for a while. An `alert` client never
 * sleeps while it waits: waking it is work for who answers, on some machines more than answering is.
 */
export async function requestRate(
  connections: readonly RawConnection[],
  milliseconds: number,
  next: () => string,
  { alert = false }: { alert?: boolean } = {},
): Promise<number> {
  const start = performance.now();
  let done = 0;
  const stayAwake = (): void => {
    if (performance.now() - start < milliseconds) setImmediate(stayAwake);
  };
  if (alert) stayAwake();
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
 * The same for half of the time by clients that sleep while they wait, and for half of it by alert ones; the better rate
 * counts. A server with several threads could have used the processor that an alert client takes, a server with one not.
 */
export async function bestRequestRate(
  connections: readonly RawConnection[],
  milliseconds: number,
  next: () => string,
): Promise<number> {
  const asleep = await requestRate(connections, milliseconds / 2, next);
  return Math.max(asleep, await requestRate(connections, milliseconds / 2, next, { alert: true }));
}
