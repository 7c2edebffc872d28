import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { HeaderLines } from "../../connection.js";
import { deferred, type Deferred } from "../../../async/deferred.js";

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body?: string | undefined;
}

/** What an answer begins with. */
export interface Head {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
}

/** There was no answer, or only a part of one; the cause is what the network said. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  /** Whether any of the request may have reached the server. */
  readonly sent: boolean;

  constructor(cause: unknown, sent: boolean) {
    super("no answer", { cause });
    this.sent = sent;
  }
}

/** Received and not yet read; beyond it the server is made to wait. */
const mostUnread = 256 * 1024;

/**
 * One request and its answer, which is read as fast as the reader likes.
 *
 * Waiting for the head, then for the body, then over: once a failure or the end is reached nothing changes any more, and
 * what was received before is still handed out before either is told.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Resolves when the answer begins. */
  readonly head: Promise<Head>;
  readonly #answered = deferred<Head>();
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
    this.head = this.#answered.promise;
    // Whoever reads the body learns of a failure there.
    this.head.catch(() => {});
    if (signal.aborted) {
      this.#abort();
      return;
    }
    signal.addEventListener("abort", this.#abort, { once: true });
    dispatcher.dispatch({ ...request, body: request.body ?? null }, this);
  }

  /** All that has been received since the last time; undefined at the end. One reader at a time. */
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

  /** Hangs up, unless the answer is complete. Whoever waits, or reads later, is given the reason. */
  close(reason: Error): void {
    if (this.#over !== undefined) return;
    this.#unread = [];
    this.#end({ failure: reason });
    this.#controller?.abort(reason);
  }

  /** Told just before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while there was no connection yet: nothing is sent.
    if (this.#over !== undefined) controller.abort(new Error("given up"));
    else this.#sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (code >= 200) this.#answered.resolve({ code, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over !== undefined) return;
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(this.#take());
    } else if (this.#unreadBytes >= mostUnread) {
      controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#end({});
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end({ failure: new Unanswered(error, this.#sent) });
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
      this.#answered.reject(over.failure);
      reader?.reject(over.failure);
    } else {
      reader?.resolve(undefined);
    }
  }
}
