import type { IncomingHttpHeaders } from "node:http";
import type { ApiError, Clock } from "../../../../model/core.js";
import type { Connection } from "../../connection.js";
import { ConnectionError, type CallOptions } from "../../transport.js";
import { failureOf } from "../answers/failure.js";
import { Connections } from "../wire/connections.js";
import { Exchange, Unanswered, type Head } from "../wire/exchange.js";
import { isPassing, networkFailure } from "../wire/network-failure.js";
import { CallTime } from "./call-time.js";
import { Credentials, type Proof } from "./credentials.js";
import { sleepKeepingAlive } from "../../../async/keep-process-alive.js";
import type { RateLimit } from "./rate-limit.js";
import type { ApiRequest, RequestInfo } from "./request.js";
import { Retries, type RetryPolicy, type Setback, retryAfter } from "./retries.js";
import { callListener } from "../../../async/call-listener.js";
import { untilAborted } from "../../../async/until-aborted.js";

/** An answer of 200 to 299 that has arrived whole. */
export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A stream that has begun. Whoever opened it closes it. */
export interface OpenStream {
  read(): Promise<readonly Buffer[] | undefined>;
  close(reason: Error): void;
}

export interface CallerOptions {
  readonly connection: Connection;
  readonly server: URL;
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly limit: RateLimit | undefined;
  readonly timeout: number;
  readonly userAgent: string;
  readonly onRequest: (info: RequestInfo) => void;
}

/** A try that was answered. */
interface Tried extends Head {
  readonly exchange: Exchange;
  /** Unless it is a stream that has begun. */
  readonly body: Buffer | undefined;
  /** Closes the connection, if it is a stream's. */
  hangUp(): void;
}

/** Carries calls out: in turn, on somebody's behalf, in time, and again where that does no harm. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #connections: Connections;
  readonly #credentials: Credentials;
  readonly #running = new Set<CallTime>();
  #closing: Promise<void> | undefined;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#connections = new Connections(options.connection, options.server.origin);
    this.#credentials = new Credentials(options.connection);
  }

  async call(request: ApiRequest, { signal, timeout }: CallOptions): Promise<Answer> {
    const time = this.#begin(signal);
    if (timeout !== undefined) time.limit(timeout);
    try {
      const { code, headers, body = Buffer.alloc(0) } = await this.#until(request, time);
      return { code, headers, body };
    } finally {
      this.#end(time);
    }
  }

  /** Opens a stream; the usual time limit is for its beginning. */
  async open(request: ApiRequest, signal: AbortSignal | undefined): Promise<OpenStream> {
    const time = this.#begin(signal);
    try {
      const tried = await this.#until(request, time);
      const { exchange } = tried;
      time.unlimited();
      // At once, also while the reader is busy with what it has got already.
      time.signal.addEventListener("abort", () => tried.hangUp(), { once: true });
      return {
        read: async () => {
          try {
            return await exchange.read();
          } catch (error) {
            throw error instanceof Unanswered ? this.#connectionError(request, error) : error;
          }
        },
        close: (reason) => {
          exchange.close(reason);
          tried.hangUp();
          this.#end(time);
        },
      };
    } catch (error) {
      this.#end(time);
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const reason = this.#closedError();
    for (const time of this.#running) time.abort(reason);
    this.#running.clear();
    await this.#connections.close(reason);
  }

  #closedError(): ConnectionError {
    return new ConnectionError(`the transport to ${this.#options.server.origin} is closed; make a new one`);
  }

  #begin(signal: AbortSignal | undefined): CallTime {
    signal?.throwIfAborted();
    if (this.#closing !== undefined) throw this.#closedError();
    const time = new CallTime(this.#options.clock, signal);
    this.#running.add(time);
    return time;
  }

  #end(time: CallTime): void {
    time.end();
    this.#running.delete(time);
  }

  /** Tries until there is a good answer, or none is to be hoped for. */
  async #until(request: ApiRequest, time: CallTime): Promise<Tried> {
    const { clock, policy } = this.#options;
    const isStream = request.verb === "watch";
    const retries = new Retries(policy, { idempotent: request.idempotent, onlyAsked: isStream });
    let renewed = false;
    for (;;) {
      const waited = isStream ? 0 : await this.#turn(request, time);
      // What holds a call back on this side is no reason to give it up, unless the caller has said when to.
      time.limit(this.#options.timeout);
      time.doing = `waiting for ${this.#options.server.origin} to ${request.title}`;
      const proof = await this.#credentials.proof(time.signal);
      let setback: Setback;
      let error: Error;
      try {
        const tried = await this.#try(request, proof, time.signal, waited);
        if (tried.code >= 200 && tried.code < 300) return tried;
        const wait = retryAfter(tried.headers["retry-after"], clock.now());
        const failure = failureOf(tried.code, tried.headers, tried.body ?? Buffer.alloc(0), wait);
        if (tried.code === 401 && !renewed) {
          renewed = true;
          if (await this.#credentials.renew(proof, time.signal)) continue;
        }
        error = failure;
        setback = { error: failure, wait: wait ?? askedWait(failure) };
      } catch (thrown) {
        time.signal.throwIfAborted();
        if (!(thrown instanceof Unanswered)) throw thrown;
        error = this.#connectionError(request, thrown);
        setback = { sent: thrown.sent, passing: isPassing(thrown.cause) };
      }
      const wait = retries.after(setback);
      // To wait for what will not be in time helps nobody: the reason is known now.
      if (wait === undefined || wait >= time.left) throw error;
      time.doing = `trying to ${request.title}; the last try failed with: ${error.message}`;
      await sleepKeepingAlive(clock, wait, time.signal);
    }
  }

  async #turn(request: ApiRequest, time: CallTime): Promise<number> {
    time.doing = `waiting for the client's own rate limit to ${request.title}`;
    return (await this.#options.limit?.take(time.signal)) ?? 0;
  }

  async #try(request: ApiRequest, proof: Proof, signal: AbortSignal, waited: number): Promise<Tried> {
    const { clock, server, userAgent, onRequest } = this.#options;
    const lines = await untilAborted(this.#connections.lines(), signal);
    signal.throwIfAborted();
    const start = clock.now();
    const watch = request.verb === "watch" ? lines.openWatch() : undefined;
    const hangUp = (): void => void (watch && this.#connections.drop(watch, new Error("the watch is over")));
    let code: number | undefined;
    let isOpen = false;
    try {
      const exchange = new Exchange(
        watch ?? lines.requests,
        {
          origin: server.origin,
          method: request.method,
          path: request.path,
          body: request.body,
          headers: {
            ...proof.headers,
            accept: request.accept,
            "user-agent": userAgent,
            ...(request.contentType !== undefined && { "content-type": request.contentType }),
          },
        },
        signal,
      );
      const head = await exchange.head;
      isOpen = watch !== undefined && head.code >= 200 && head.code < 300;
      const body = isOpen ? undefined : await exchange.all();
      code = head.code;
      return { ...head, exchange, body, hangUp };
    } finally {
      if (!isOpen) hangUp();
      const info: RequestInfo = {
        verb: request.verb,
        method: request.method,
        host: server.host,
        code: code ?? "<error>",
        duration: clock.now() - start,
        waited,
      };
      callListener("onRequest", () => onRequest(info));
    }
  }

  #connectionError(request: ApiRequest, { cause, sent }: Unanswered): ConnectionError {
    const { server, connection } = this.#options;
    const mayBeDone = sent && request.method !== "GET" ? "; the request may have been carried out" : "";
    const through = connection.proxy === undefined ? "" : ` (through the proxy ${hostOf(connection.proxy)})`;
    return networkFailure(cause, {
      server: server.origin + through,
      doing: request.title,
      after: mayBeDone,
    });
  }
}

/** Some servers say it in the body alone. */
function askedWait(error: ApiError): number | undefined {
  const seconds = error.status.details?.retryAfterSeconds;
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

/** Without the password that may stand in it. */
function hostOf(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).host : "given";
}
