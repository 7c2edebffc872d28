import type * as Undici from "undici";
import { sleep, systemClock, within, type Clock } from "../../model/core.js";
import { Breaker, CircuitOpenError, type BreakerOptions } from "../../runtime/breaker/breaker.js";
import { messageOf } from "../../runtime/log/message-of.js";
import { EventRejected } from "../event-rejected.js";
import type { SinkParts } from "./sink.js";

export interface WebhookOptions {
  /** Name of the sink. */
  readonly name: string;
  readonly url: string;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly breaker?: Pick<BreakerOptions, "failures" | "openFor"> | undefined;
}

interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A receiver that refused a request, or could not be reached. */
class WebhookError extends Error {
  override readonly name = "WebhookError";
}

const defaultTimeout = 10_000;
/** Status codes that a receiver sends for a message that it will never accept. */
const permanent = new Set([400, 413, 415, 422]);
/** Milliseconds that a message waits for an open breaker; not longer, since a process that stops waits for it. */
const maxWait = 5000;
/** Bytes of a response that are read, so that its connection can be used again. */
const maxResponse = 64 * 2 ** 10;

/** Posts messages to one address, behind a circuit breaker. Messages of errors have the host of the address and no more. */
export class Webhook {
  readonly #url: URL;
  readonly #what: string;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #breaker: Breaker;
  #agent: Promise<{ readonly undici: typeof Undici; readonly agent: Undici.Agent }> | undefined;

  constructor({ name, url, timeout = defaultTimeout, breaker = {} }: WebhookOptions, parts: SinkParts) {
    this.#url = new URL(url);
    this.#what = `sink ${name}: ${this.#url.host}`;
    this.#timeout = timeout;
    this.#clock = parts.clock ?? systemClock;
    const options = { ...breaker, isFailure: isFailureOfReceiver };
    this.#breaker =
      parts.breakers?.get(`sink-${name}`, options) ??
      new Breaker(`sink-${name}`, { ...options, clock: this.#clock });
  }

  /**
   * Posts a message. Redirects are not followed: who may redirect would read what is sent to another host.
   *
   * @throws {EventRejected} if the receiver will never accept it. @throws {WebhookError} @throws {CircuitOpenError}
   */
  async post(message: WebhookMessage, signal: AbortSignal): Promise<void> {
    try {
      await this.#breaker.run(() => this.#attempt(message, signal), signal);
    } catch (error) {
      // Occupies a worker of the subscription, so that events in the queue do not all try and fail while the breaker is open.
      if (error instanceof CircuitOpenError) {
        await sleep(this.#clock, Math.min(error.retryAfter, maxWait), signal);
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    const opened = await this.#agent;
    await opened?.agent.destroy();
  }

  async #attempt(message: WebhookMessage, signal: AbortSignal): Promise<void> {
    const limit = { clock: this.#clock, limit: this.#timeout, what: `${this.#what}: the request`, signal };
    const status = await within(limit, (limited) => this.#send(message, limited));
    if (status >= 200 && status < 300) return;
    const text = `${this.#what} answered with status ${status}`;
    throw permanent.has(status) ? new EventRejected(text) : new WebhookError(text);
  }

  async #send({ headers, body }: WebhookMessage, signal: AbortSignal): Promise<number> {
    this.#agent ??= import("undici").then((undici) => ({
      undici,
      agent: new undici.Agent({ connections: 8 }),
    }));
    const { undici, agent } = await this.#agent;
    try {
      const response = await undici.request(this.#url, {
        method: "POST",
        headers,
        body,
        signal,
        dispatcher: agent,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      await response.body.dump({ limit: maxResponse, signal }).catch(() => {});
      return response.statusCode;
    } catch (error) {
      if (signal.aborted) throw error;
      throw new WebhookError(`${this.#what} could not be reached: ${reasonOf(error)}`);
    }
  }
}

/** An event that the receiver rejects is no failure of the receiver. */
function isFailureOfReceiver(error: unknown): boolean {
  return !(error instanceof EventRejected);
}

function reasonOf(error: unknown): string {
  const { errors } = error as { readonly errors?: readonly unknown[] };
  // If a name has several addresses, the error is about all of them and has no message.
  return messageOf(error) || messageOf(errors?.[0]);
}
