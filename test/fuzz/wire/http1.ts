import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { Hanging, patience, type Answer, type Attention } from "./answer.js";
import { AnswerReader } from "./answer-reader.js";

export interface Address {
  readonly url: string;
  readonly token: string;
  /** In PEM; undefined without TLS. */
  readonly ca: string | undefined;
}

/** How long it is waited for the end of what is no HTTP/1.1. */
const listening = 250;

/**
 * Bytes to send one after the other; a number is a pause in milliseconds, a promise one until it resolves, the word `end`
 * half-closes the connection.
 */
export type Piece = string | Uint8Array | number | Promise<unknown>;

export interface Sending {
  readonly pieces: readonly Piece[];
  /** A HEAD has an answer without a body. */
  readonly withoutBody?: boolean;
  /** The answer may be a stream, of which only so much is read; all of it unless told. */
  readonly attention?: Attention | undefined;
  /** When it resolves, this side hangs up. */
  readonly until?: Promise<unknown> | undefined;
  /** Another request may follow on the same connection. */
  readonly reusable?: boolean;
  /** It is no HTTP/1.1, and no more is wanted than to see it end: what is answered is not read. */
  readonly http2?: boolean;
}

/** Speaks HTTP/1.1 byte by byte, since a proper client would refuse to send most of what is sent here. */
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
    // On a machine with too much to do the server may have grown tired of waiting; of what it cannot bear it dies twice.
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
      let late: NodeJS.Timeout | undefined;
      const finish = (answer: Answer, keep: boolean): void => {
        clearTimeout(watchdog);
        clearTimeout(quiet);
        clearTimeout(late);
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
          if (attention.longest !== undefined) late ??= setTimeout(leave, attention.longest);
          if (attention.bytes !== undefined && reader.size >= attention.bytes) leave();
        }
      });
      socket.on("close", () => finish(reader.end("cut"), false));
      if (socket.destroyed) finish(reader.end("cut"), false);
      void write(socket, pieces);
    });
  }
}

/** Connects, again when the server has grown tired of shaking hands on a machine with too much to do. */
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
  // Whatever it is, `close` follows.
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
