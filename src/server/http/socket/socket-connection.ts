import type { RawData, WebSocket } from "ws";
import type { Clock, Timer } from "../../../model/core.js";
import { highWaterMark } from "./accept-websocket.js";

/** An accepted WebSocket. */
export interface SocketConnection {
  /**
   * Text messages of the client, in order. The next one is read from the network when the one before has been taken, so that a slow
   * reader slows the client down. Ends when the connection closes. Can be read once.
   */
  readonly messages: AsyncIterable<string>;
  /** True while sent messages wait for the client to read. */
  readonly isCongested: boolean;
  /**
   * Sends a text message: true when more can be sent, at once or when the promise resolves; false when the connection is closed. A
   * client that reads nothing for the `stalledWatchTimeout` of the server is disconnected.
   */
  send(message: string | Uint8Array): boolean | Promise<boolean>;
  /** Closes the connection. Default: 1000, normal closure. */
  close(code?: number, reason?: string): void;
  /** Aborts when the connection closes, the credential of the client is revoked, or the server stops. */
  readonly signal: AbortSignal;
}

export interface SocketConnectionOptions {
  readonly clock: Clock;
  /** Milliseconds after which a client is disconnected that does not read. */
  readonly stalledAfter: number;
  /** Aborted here when the connection closes, and elsewhere to close it. */
  readonly abort: AbortController;
}

/** Why the server ends a connection: the code and the reason that a WebSocket is closed with. */
export class SocketClosure extends Error {
  override readonly name = "SocketClosure";
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Milliseconds between pings. A client that has answered none of them by the next one is gone. */
const pingInterval = 30_000;
/** Longest reason in a close frame, in bytes. */
const maxReasonBytes = 123;

/** Connection over an accepted WebSocket. */
export class WebSocketConnection implements SocketConnection {
  readonly #socket: WebSocket;
  readonly #options: SocketConnectionOptions;
  readonly #received: string[] = [];
  #wake: () => void = () => {};
  #pings: Timer | undefined;
  #isAnswering = true;

  constructor(socket: WebSocket, options: SocketConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const { abort } = options;
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => (this.#isAnswering = true));
    // The close event follows.
    socket.on("error", () => {});
    socket.once("close", () => abort.abort(new SocketClosure(1006, "the connection is closed")));
    this.signal.addEventListener("abort", () => this.#end(), { once: true });
    if (this.signal.aborted) this.#end();
    else this.#schedulePing();
  }

  get signal(): AbortSignal {
    return this.#options.abort.signal;
  }

  get isCongested(): boolean {
    return this.#socket.bufferedAmount >= highWaterMark;
  }

  get messages(): AsyncIterable<string> {
    return this.#read();
  }

  send(message: string | Uint8Array): boolean | Promise<boolean> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return false;
    if (!this.isCongested) {
      socket.send(message, { binary: false });
      return true;
    }
    return new Promise((resolve) => {
      const { clock, stalledAfter } = this.#options;
      const timer = clock.after(stalledAfter, () => socket.terminate());
      socket.send(message, { binary: false }, (error) => {
        timer.cancel();
        resolve(error === undefined || error === null);
      });
    });
  }

  close(code = 1000, reason = ""): void {
    this.#options.abort.abort(new SocketClosure(code, reason));
  }

  async *#read(): AsyncGenerator<string, void, undefined> {
    while (!this.signal.aborted) {
      const next = this.#received.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      this.#socket.resume();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAnswering = true;
    if (isBinary) {
      this.close(1003, "send text messages");
      return;
    }
    // Messages that arrived together with this one are still emitted; they fit into one read from the network.
    this.#socket.pause();
    this.#received.push(textOf(data));
    this.#wake();
  }

  #schedulePing(): void {
    this.#pings = this.#options.clock.after(pingInterval, () => {
      const socket = this.#socket;
      // While it is paused, responses are not read.
      if (!socket.isPaused) {
        if (!this.#isAnswering) {
          socket.terminate();
          return;
        }
        this.#isAnswering = false;
        socket.ping();
      }
      this.#schedulePing();
    });
  }

  #end(): void {
    this.#pings?.cancel();
    this.#received.length = 0;
    const { reason } = this.signal as { readonly reason: unknown };
    const { code, message } =
      reason instanceof SocketClosure ? reason : new SocketClosure(1001, "the server ends the connection");
    const socket = this.#socket;
    // The response of the client to the close frame has to be read.
    if (socket.isPaused) socket.resume();
    if (socket.readyState === socket.OPEN) socket.close(code, shortened(message));
    this.#wake();
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString();
}

function shortened(reason: string): string {
  let text = reason;
  while (Buffer.byteLength(text) > maxReasonBytes) text = text.slice(0, -1);
  return text;
}
