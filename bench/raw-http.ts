import { connect, type Socket } from "node:net";

const headEnd = Buffer.from("\r\n\r\n");
const lengthHeader = /content-length: *(\d+)/i;

/**
 * One HTTP/1.1 connection that costs its process next to nothing: requests are bytes made beforehand, and of an answer
 * only status and length are looked at. So the server is what is measured.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #size = 0;
  /** How long the answer that is coming in is, head included; undefined until its head is there. */
  #expected: number | undefined;
  #answer: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("close", () => this.#answer?.reject(new Error("the connection was closed")));
    socket.on("error", (error) => this.#answer?.reject(error));
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawConnection(socket);
  }

  /** Sends a request and resolves with the body of the answer; any answer but a 2xx is an error. */
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
    this.#size += chunk.length;
    if (this.#expected === undefined) {
      const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
      const end = bytes.indexOf(headEnd);
      if (end < 0) return;
      const head = bytes.toString("latin1", 0, end);
      const length = Number(lengthHeader.exec(head)?.[1]);
      if (!head.startsWith("HTTP/1.1 2") || Number.isNaN(length)) {
        this.#answer?.reject(new Error(bytes.toString()));
        return;
      }
      this.#expected = end + headEnd.length + length;
    }
    if (this.#size < this.#expected) return;
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [];
    this.#size = 0;
    this.#expected = undefined;
    this.#answer?.resolve(bytes);
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
