import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { Hanging, patience, type Answer, type Attention } from "./answer.js";
import { AnswerReader } from "./answer-reader.js";

export interface Address {
  readonly url: string;
  readonly token: string;
  /** CA in PEM; undefined without TLS. */
  readonly ca: string | undefined;
}

/** Milliseconds to wait for the end of a connection that is not HTTP/1.1. */
const listening = 250;

/**
 * Parts to send one after the other; a number is a pause in milliseconds, a promise a pause until it resolves, and the
 * string `end` half-closes the connection.
 */
export type Piece = string | Uint8Array | number | Promise<unknown>;

export interface Sending {
  readonly pieces: readonly Piece[];
  /** The response has no body (HEAD). */
  readonly withoutBody?: boolean;
  /** Part of a stream to read. Default: all of it. */
  readonly attention?: Attention | undefined;
  /** Closes the connection when it resolves. */
  readonly until?: Promise<unknown> | undefined;
  /** Keeps the connection for another request. */
  readonly reusable?: boolean;
  /** The connection does not use HTTP/1.1: wait for its end, and do not parse the response. */
  readonly http2?: boolean;
}

/** Minimal HTTP/1.1 client, since a proper one would refuse to send most of these requests. */
export class Http1 {
  readonly #address: Address;
  #idle: Socket | undefined;

  constructor(address: Address) {
    this.#address = address;
  }

  async send(sending: Sending): Promise<Answer> {
    const reused = this.#idle;
    this.#idle = undefined;
    if (reused !== undefined && !reused.destroyed && sending.reusable === true) {
      const answer = await this.#exchange(reused, sending);
      if (answer.code !== 0) return answer;
    } else reused?.destroy();
    const answer = await this.#exchange(await open(this.#address, sending.http2 === true), sending);
    if (answer.code !== 0 || sending.reusable !== true) return answer;
    // On a busy machine the server may have closed the connection after a timeout; a request that crashes it does so
    // twice.
    return this.#exchange(await open(this.#address, false), sending);
  }

  close(): void {
    this.#idle?.destroy();
    this.#idle = undefined;
  }

  #exchange(socket: Socket, sending: Sending): Promise<Answer> {
    const { pieces, withoutBody = false, attention, reusable = false, http2 = false } = sending;
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader(withoutBody);
      let quiet: NodeJS.Timeout | undefined;
      let timeout: NodeJS.Timeout | undefined;
      const finish = (answer: Answer, keep: boolean): void => {
        clearTimeout(watchdog);
        clearTimeout(quiet);
        clearTimeout(timeout);
        socket.removeAllListeners("data").removeAllListeners("close");
        if (keep && !socket.destroyed) this.#idle = socket;
        else socket.destroy();
        resolve(answer);
      };
      const watchdog = setTimeout(() => {
        socket.destroy();
        reject(new Hanging(`no answer in ${patience / 1000} s`));
      }, patience);
      if (http2) quiet = setTimeout(() => finish(reader.end("cut"), false), listening);
      void sending.until?.then(() => finish(reader.end("watching"), false));
      socket.on("data", (bytes: Buffer) => {
        if (http2) return;
        const answer = reader.add(bytes);
        if (answer !== undefined) finish(answer, reusable && answer.headers.get("connection") !== "close");
        else if (attention !== undefined && reader.isStream) {
          clearTimeout(quiet);
          const leave = (): void => finish(reader.end("watching"), false);
          if (attention.quiet !== undefined) quiet = setTimeout(leave, attention.quiet);
          if (attention.longest !== undefined) timeout ??= setTimeout(leave, attention.longest);
          if (attention.bytes !== undefined && reader.size >= attention.bytes) leave();
        }
      });
      socket.on("close", () => finish(reader.end("cut"), false));
      if (socket.destroyed) finish(reader.end("cut"), false);
      void write(socket, pieces);
    });
  }
}

/** Connects; retries when the TLS handshake times out on a busy machine. */
async function open(address: Address, http2: boolean): Promise<Socket> {
  for (let tries = 0; ; tries++) {
    const socket = connect(address, http2);
    const connected = await new Promise<boolean>((resolve) => {
      socket.once(address.ca === undefined ? "connect" : "secureConnect", () => resolve(true));
      socket.once("close", () => resolve(false));
    });
    if (connected || tries === 5) return socket;
  }
}

function connect({ url, ca }: Address, http2: boolean): Socket {
  const { hostname, port } = new URL(url);
  const socket =
    ca === undefined
      ? connectPlain({ host: hostname, port: Number(port), noDelay: true })
      : connectSecure({
          host: hostname,
          port: Number(port),
          ca,
          servername: "localhost",
          ALPNProtocols: [http2 ? "h2" : "http/1.1"],
        });
  // `close` follows in any case.
  socket.on("error", () => {});
  return socket;
}

async function write(socket: Socket, pieces: readonly Piece[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (piece instanceof Promise) await piece;
    else if (typeof piece === "number") await new Promise((resolve) => setTimeout(resolve, piece));
    else if (piece === "end") socket.end();
    else socket.write(piece);
  }
}
