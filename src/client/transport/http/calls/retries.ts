import {
  fraction,
  duration,
  isTooLargeResourceVersion,
  systemRandom,
  type ApiError,
  type Duration,
  type Random,
} from "../../../../model/core.js";

export interface RetryOptions {
  /** How often a call is repeated because the server asks for it with a Retry-After. Default 10. */
  readonly asked?: number | undefined;
  /** How often without being asked: lost connections, 502, 503, 504. Default 4. */
  readonly unasked?: number | undefined;
  /** The wait before the first repetition that was not asked for, which doubles from one to the next. Default 100ms. */
  readonly first?: Duration | undefined;
  /** The longest such wait. Default 5s. */
  readonly longest?: Duration | undefined;
}

/** How a try ended that did not succeed. */
export type Setback =
  | { readonly error: ApiError; readonly wait: number | undefined }
  /** No answer. `sent` when the server may have got the request; `passing` when it may go better next time. */
  | { readonly sent: boolean; readonly passing: boolean };

export interface Repeatable {
  /** Whether doing it twice is like doing it once. */
  readonly idempotent: boolean;
  /** Whether the caller sees to repetitions that the server does not ask for. */
  readonly onlyAsked: boolean;
}

/** The rules for all calls. */
export class RetryPolicy {
  readonly asked: number;
  readonly unasked: number;
  readonly #first: number;
  readonly #longest: number;
  readonly #random: Random;

  constructor(options: RetryOptions | false = {}, random: Random = systemRandom) {
    const {
      asked = 10,
      unasked = 4,
      first = "100ms",
      longest = "5s",
    } = options === false ? { asked: 0, unasked: 0 } : options;
    this.asked = asked;
    this.unasked = unasked;
    this.#first = duration(first);
    this.#longest = duration(longest);
    this.#random = random;
  }

  /** A wait that doubles, of which up to half is left to chance. */
  backoff(repetition: number): number {
    const full = Math.min(this.#longest, this.#first * 2 ** repetition);
    return full * (0.5 + fraction(this.#random) / 2);
  }

  /** Never sooner than asked for, and not all at the same time. */
  asAsked(wait: number): number {
    return wait * (1 + fraction(this.#random) / 10);
  }
}

/** The repetitions of one call. */
export class Retries {
  readonly #policy: RetryPolicy;
  readonly #call: Repeatable;
  #asked = 0;
  #unasked = 0;

  constructor(policy: RetryPolicy, call: Repeatable) {
    this.#policy = policy;
    this.#call = call;
  }

  /** The milliseconds to wait before the next try; undefined when there is to be none. */
  after(setback: Setback): number | undefined {
    if ("error" in setback && setback.wait !== undefined) {
      if (!this.#mayBeAsked(setback.error) || this.#asked >= this.#policy.asked) return undefined;
      this.#asked++;
      return this.#policy.asAsked(setback.wait);
    }
    const may = "error" in setback ? this.#mayRepeat(setback.error) : this.#mayResend(setback);
    if (!may || this.#call.onlyAsked || this.#unasked >= this.#policy.unasked) return undefined;
    return this.#policy.backoff(this.#unasked++);
  }

  /** 429 and 503 with a Retry-After say that nothing was done; other failures may come after something was. */
  #mayBeAsked(error: ApiError): boolean {
    if (error.code === 429 || error.code === 503) return true;
    return this.#call.idempotent && error.code >= 500 && !isTooLargeResourceVersion(error);
  }

  #mayRepeat(error: ApiError): boolean {
    if (error.code === 429) return true;
    // The server has waited for that version already; whoever asked for it knows what else to do.
    if (isTooLargeResourceVersion(error)) return false;
    return this.#call.idempotent && (error.code === 502 || error.code === 503 || error.code === 504);
  }

  #mayResend({ sent, passing }: { readonly sent: boolean; readonly passing: boolean }): boolean {
    return passing && (this.#call.idempotent || !sent);
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
