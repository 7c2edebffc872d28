import {
  fraction,
  duration,
  isTooLargeResourceVersion,
  systemRandom,
  type ApiError,
  type Duration,
  type Random,
} from "../../../../model/core.js";

export interface RequestRetryOptions {
  /** Maximum retries of responses with a Retry-After header. Default: 10. */
  readonly withRetryAfter?: number | undefined;
  /** Maximum retries of other failures: lost connections, 502, 503, 504. Default: 4. */
  readonly withoutRetryAfter?: number | undefined;
  /** Delay before the first retry without Retry-After; doubles with each retry. Default: 100ms. */
  readonly firstDelay?: Duration | undefined;
  /** Maximum of that delay. Default: 5s. */
  readonly longestDelay?: Duration | undefined;
}

/** Failed attempt of a request. */
export type FailedAttempt =
  | { readonly error: ApiError; readonly wait: number | undefined }
  /** No response. `sent`: the server may have received the request; `transient`: a retry may succeed. */
  | { readonly sent: boolean; readonly transient: boolean };

/** Properties of a request that decide about its retries. */
export interface RetryableRequest {
  /** True if repeating the request has no further effect. */
  readonly idempotent: boolean;
  /** Retry only responses with Retry-After; the caller retries other failures itself. */
  readonly onlyWithRetryAfter: boolean;
}

/** Limits and delays of retries. */
export class RetryPolicy {
  readonly withRetryAfter: number;
  readonly withoutRetryAfter: number;
  readonly #first: number;
  readonly #longest: number;
  readonly #random: Random;

  constructor(options: RequestRetryOptions | false = {}, random: Random = systemRandom) {
    const {
      withRetryAfter = 10,
      withoutRetryAfter = 4,
      firstDelay = "100ms",
      longestDelay = "5s",
    } = options === false ? { withRetryAfter: 0, withoutRetryAfter: 0 } : options;
    this.withRetryAfter = withRetryAfter;
    this.withoutRetryAfter = withoutRetryAfter;
    this.#first = duration(firstDelay);
    this.#longest = duration(longestDelay);
    this.#random = random;
  }

  /** Exponential delay with up to 50 % jitter. */
  backoff(repetition: number): number {
    const full = Math.min(this.#longest, this.#first * 2 ** repetition);
    return full * (0.5 + fraction(this.#random) / 2);
  }

  /** Delay of a Retry-After with up to 10 % added jitter. */
  withJitter(wait: number): number {
    return wait * (1 + fraction(this.#random) / 10);
  }
}

/** Retries of one request. */
export class Retries {
  readonly #policy: RetryPolicy;
  readonly #call: RetryableRequest;
  #withRetryAfter = 0;
  #withoutRetryAfter = 0;

  constructor(policy: RetryPolicy, call: RetryableRequest) {
    this.#policy = policy;
    this.#call = call;
  }

  /** Milliseconds to wait before the next attempt; undefined when there is none. */
  after(failed: FailedAttempt): number | undefined {
    if ("error" in failed && failed.wait !== undefined) {
      if (!this.#mayRetryAfter(failed.error) || this.#withRetryAfter >= this.#policy.withRetryAfter)
        return undefined;
      this.#withRetryAfter++;
      return this.#policy.withJitter(failed.wait);
    }
    const may = "error" in failed ? this.#mayRetry(failed.error) : this.#mayResend(failed);
    if (!may || this.#call.onlyWithRetryAfter || this.#withoutRetryAfter >= this.#policy.withoutRetryAfter)
      return undefined;
    return this.#policy.backoff(this.#withoutRetryAfter++);
  }

  /** A 429 or 503 with Retry-After was not executed; requests with other failures may have been. */
  #mayRetryAfter(error: ApiError): boolean {
    if (error.code === 429 || error.code === 503) return true;
    return this.#call.idempotent && error.code >= 500 && !isTooLargeResourceVersion(error);
  }

  #mayRetry(error: ApiError): boolean {
    if (error.code === 429) return true;
    // The server has waited for that version already; the caller has to list again.
    if (isTooLargeResourceVersion(error)) return false;
    return this.#call.idempotent && (error.code === 502 || error.code === 503 || error.code === 504);
  }

  #mayResend({ sent, transient }: { readonly sent: boolean; readonly transient: boolean }): boolean {
    return transient && (this.#call.idempotent || !sent);
  }
}

/**
 * Milliseconds to wait by a `Retry-After` header, which has seconds or a date; undefined when it is missing or malformed.
 *
 * @example
 * retryAfter("2", now); // 2000
 * retryAfter("Wed, 21 Oct 2026 07:28:00 GMT", now);
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
