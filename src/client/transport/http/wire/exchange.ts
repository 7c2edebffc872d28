import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { HeaderLines } from "../../connection.js";
import { deferred, type Deferred } from "../../../async/deferred.js";

/** Request as undici sends it. */
export interface WireRequest {
  readonly origin: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body?: string | undefined;
}

/** Status and headers of a response. */
export interface Head {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
}

/** No complete response; the cause is the error of the network. */
export class NoResponseError extends Error {
  override readonly name = "NoResponseError";
  /** True if the server may have received the request. */
  readonly sent: boolean;

  constructor(cause: unknown, sent: boolean) {
    super("no response", { cause });
    this.sent = sent;
  }
}

/** Maximum of received, unread bytes; beyond it the socket is paused. */
const maxUnread = 256 * 1024;

/**
 * One request and its response, read with backpressure.
 *
 * States: waiting for the head, reading the body, over. The end or a failure is final; chunks received before it are still
 * read first.
 */
export class WireExchange implements Dispatcher.DispatchHandler {
  /** Resolves with the start of the response. */
  readonly head: Promise<Head>;
  readonly #response = deferred<Head>();
  readonly #signal: AbortSignal;
  readonly #abort = (): void => this.close(this.#signal.reason as Error);
  #controller: Dispatcher.DispatchController | undefined;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #sent = false;
  #over: { readonly failure?: unknown } | undefined;
  #reader: Deferred<readonly Buffer[] | undefined> | undefined;

  constructor(dispatcher: Dispatcher, request: WireRequest, signal: AbortSignal) {
    this.#signal = signal;
    this.head = this.#response.promise;
    // A failure is also reported to the reader of the body.
    this.head.catch(() => {});
    if (signal.aborted) {
      this.#abort();
      return;
    }
    signal.addEventListener("abort", this.#abort, { once: true });
    dispatcher.dispatch({ ...request, body: request.body ?? null }, this);
  }

  /** Chunks received since the last call; undefined at the end. One reader at a time. */
  read(): Promise<readonly Buffer[] | undefined> {
    const chunks = this.#take();
    if (chunks !== undefined) return Promise.resolve(chunks);
    if (this.#over !== undefined) {
      return "failure" in this.#over ? Promise.reject(this.#over.failure) : Promise.resolve(undefined);
    }
    this.#reader = deferred();
    return this.#reader.promise;
  }

  /** The rest of the body. */
  async all(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let chunks = await this.read(); chunks !== undefined; chunks = await this.read()) {
      parts.push(...chunks);
    }
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
  }

  /** Aborts an incomplete response; pending and later reads reject with the reason. */
  close(reason: Error): void {
    if (this.#over !== undefined) return;
    this.#unread = [];
    this.#end({ failure: reason });
    this.#controller?.abort(reason);
  }

  /** Called before the first byte is sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Closed while connecting: nothing is sent.
    if (this.#over !== undefined) controller.abort(new Error("aborted"));
    else this.#sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (code >= 200) this.#response.resolve({ code, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over !== undefined) return;
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(this.#take());
    } else if (this.#unreadBytes >= maxUnread) {
      controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#end({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ failure: new NoResponseError(error, this.#sent) });
  }

  #take(): readonly Buffer[] | undefined {
    if (this.#unread.length === 0) return undefined;
    const chunks = this.#unread;
    this.#unread = [];
    this.#unreadBytes = 0;
    if (this.#controller?.paused === true) this.#controller.resume();
    return chunks;
  }

  #end(over: { readonly failure?: unknown }): void {
    if (this.#over !== undefined) return;
    this.#over = over;
    this.#signal.removeEventListener("abort", this.#abort);
    const reader = this.#reader;
    this.#reader = undefined;
    if ("failure" in over) {
      this.#response.reject(over.failure);
      reader?.reject(over.failure);
    } else {
      reader?.resolve(undefined);
    }
  }
}
