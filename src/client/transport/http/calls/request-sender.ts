import type { IncomingHttpHeaders } from "node:http";
import type { ApiError, Clock } from "../../../../model/core.js";
import type { Connection } from "../../connection.js";
import { ConnectionError, type CallOptions } from "../../transport.js";
import { responseError } from "../responses/failure.js";
import { ConnectionPool } from "../wire/connection-pool.js";
import { WireExchange, NoResponseError, type Head } from "../wire/exchange.js";
import { isTransient, networkFailure } from "../wire/network-failure.js";
import { CallTime } from "./call-time.js";
import { RenewableCredentials, type AuthHeaders } from "./credentials.js";
import { sleepKeepingAlive } from "../../../async/keep-process-alive.js";
import type { RateLimit } from "./rate-limit.js";
import type { OutgoingRequest, RequestInfo } from "./request.js";
import { Retries, type RetryPolicy, type FailedAttempt, retryAfter } from "./retries.js";
import { callListener } from "../../../async/call-listener.js";
import { untilAborted } from "../../../async/until-aborted.js";

/** Complete response with a status of 200 to 299. */
export interface CompleteResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Open response stream. The caller closes it. */
export interface OpenStream {
  read(): Promise<readonly Buffer[] | undefined>;
  close(reason: Error): void;
}

export interface RequestSenderOptions {
  readonly connection: Connection;
  readonly server: URL;
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly limit: RateLimit | undefined;
  readonly timeout: number;
  readonly userAgent: string;
  readonly onRequest: (info: RequestInfo) => void;
}

/** Attempt with a response. */
interface Attempt extends Head {
  readonly exchange: WireExchange;
  /** Undefined for an open stream. */
  readonly body: Buffer | undefined;
  /** Closes the connection of a stream. */
  hangUp(): void;
}

/** Sends requests with rate limit, credentials, timeout and retries. */
export class RequestSender {
  readonly #options: RequestSenderOptions;
  readonly #connections: ConnectionPool;
  readonly #credentials: RenewableCredentials;
  readonly #running = new Set<CallTime>();
  #closing: Promise<void> | undefined;

  constructor(options: RequestSenderOptions) {
    this.#options = options;
    this.#connections = new ConnectionPool(options.connection, options.server.origin);
    this.#credentials = new RenewableCredentials(options.connection);
  }

  async call(request: OutgoingRequest, { signal, timeout }: CallOptions): Promise<CompleteResponse> {
    const time = this.#begin(signal);
    if (timeout !== undefined) time.limit(timeout);
    try {
      const { code, headers, body = Buffer.alloc(0) } = await this.#send(request, time);
      return { code, headers, body };
    } finally {
      this.#end(time);
    }
  }

  /** Opens a stream; the timeout applies until it starts. */
  async open(request: OutgoingRequest, signal: AbortSignal | undefined): Promise<OpenStream> {
    const time = this.#begin(signal);
    try {
      const attempt = await this.#send(request, time);
      const { exchange } = attempt;
      time.unlimited();
      // Closes at once, even if the reader has not read everything.
      time.signal.addEventListener("abort", () => attempt.hangUp(), { once: true });
      return {
        read: async () => {
          try {
            return await exchange.read();
          } catch (error) {
            throw error instanceof NoResponseError ? this.#connectionError(request, error) : error;
          }
        },
        close: (reason) => {
          exchange.close(reason);
          attempt.hangUp();
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
    return new ConnectionError(`the transport to ${this.#options.server.origin} is closed; create a new one`);
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

  /** Sends a request until it succeeds or may not be retried. */
  async #send(request: OutgoingRequest, time: CallTime): Promise<Attempt> {
    const { clock, policy } = this.#options;
    const isStream = request.verb === "watch";
    const retries = new Retries(policy, { idempotent: request.idempotent, onlyWithRetryAfter: isStream });
    let renewed = false;
    for (;;) {
      const waited = isStream ? 0 : await this.#waitForRateLimit(request, time);
      // The default timeout starts after the wait for the rate limit; the timeout of the call started before it.
      time.limit(this.#options.timeout);
      time.doing = `waiting for ${this.#options.server.origin} to ${request.title}`;
      const auth = await this.#credentials.headers(time.signal);
      let failed: FailedAttempt;
      let error: Error;
      try {
        const attempt = await this.#attempt(request, auth, time.signal, waited);
        if (attempt.code >= 200 && attempt.code < 300) return attempt;
        const wait = retryAfter(attempt.headers["retry-after"], clock.now());
        const failure = responseError(attempt.code, attempt.headers, attempt.body ?? Buffer.alloc(0), wait);
        if (attempt.code === 401 && !renewed) {
          renewed = true;
          if (await this.#credentials.renew(auth, time.signal)) continue;
        }
        error = failure;
        failed = { error: failure, wait: wait ?? retryAfterOf(failure) };
      } catch (thrown) {
        time.signal.throwIfAborted();
        if (!(thrown instanceof NoResponseError)) throw thrown;
        error = this.#connectionError(request, thrown);
        failed = { sent: thrown.sent, transient: isTransient(thrown.cause) };
      }
      const wait = retries.after(failed);
      // The retry would start after the timeout: fail now, with the reason.
      if (wait === undefined || wait >= time.left) throw error;
      time.doing = `trying to ${request.title}; the last attempt failed with: ${error.message}`;
      await sleepKeepingAlive(clock, wait, time.signal);
    }
  }

  async #waitForRateLimit(request: OutgoingRequest, time: CallTime): Promise<number> {
    time.doing = `waiting for the client's own rate limit to ${request.title}`;
    return (await this.#options.limit?.take(time.signal)) ?? 0;
  }

  async #attempt(
    request: OutgoingRequest,
    auth: AuthHeaders,
    signal: AbortSignal,
    waited: number,
  ): Promise<Attempt> {
    const { clock, server, userAgent, onRequest } = this.#options;
    const dispatchers = await untilAborted(this.#connections.dispatchers(), signal);
    signal.throwIfAborted();
    const start = clock.now();
    const watch = request.verb === "watch" ? dispatchers.openWatch() : undefined;
    const hangUp = (): void =>
      void (watch && this.#connections.drop(watch, new Error("the watch has ended")));
    let code: number | undefined;
    let isOpen = false;
    try {
      const exchange = new WireExchange(
        watch ?? dispatchers.requests,
        {
          origin: server.origin,
          method: request.method,
          path: request.path,
          body: request.body,
          headers: {
            ...auth.headers,
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

  #connectionError(request: OutgoingRequest, { cause, sent }: NoResponseError): ConnectionError {
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

/** Retry-After of the Status in the body; some servers send no header. */
function retryAfterOf(error: ApiError): number | undefined {
  const seconds = error.status.details?.retryAfterSeconds;
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

/** Host of a proxy URL, without its password. */
function hostOf(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).host : "given";
}
