import { duration, formatDuration, type Clock, type Duration } from "../../model/core.js";
import { messageOf } from "../log/message-of.js";
import { OutcomeWindow } from "./outcome-window.js";

/*
 * Circuit breaker of one dependency (a gateway, a database, another API). It is in one of three states:
 *
 * - **closed**: calls go through and their outcomes are counted. It opens when `failures` calls in a row have failed or,
 *   with a `ratio`, when that share of at least `minimum` calls within `window` has.
 * - **open**: calls are refused without being made. It stays so for `openFor`; the first call after that finds it half-open.
 * - **half-open**: at most `probes` calls go through at a time, the others are refused. When `probes` of them have succeeded
 *   it closes, with nothing counted; when one fails, or gives no answer for as long as `openFor`, it opens anew.
 *
 * Whenever the state changes a new **era** begins. A call's outcome counts only in the era in which the call began: what was
 * sent while all was well says nothing about a probe. A call that its caller aborted has no
 * outcome, unless the caller says that it had waited for long enough: no answer is an answer.
 *
 * Time alone moves nothing: that an open breaker has become half-open is worked out when somebody asks, so that a thousand
 * breakers cost no timers. It is our own because cockatiel's takes no clock: a test could not tell it that a minute is over.
 */

export type BreakerState = "closed" | "open" | "half-open";

export interface BreakerOptions {
  /** Failures in a row that open it. Default 5; not used with a `ratio`. */
  readonly failures?: number | undefined;
  /** Share of failed calls within `window` that opens it, such as 0.5. */
  readonly ratio?: number | undefined;
  /** Period over which `ratio` is computed. Default 1 minute. */
  readonly window?: Duration | undefined;
  /** Calls within `window` below which `ratio` is not applied. Default 10. */
  readonly minimum?: number | undefined;
  /** Time during which calls are refused. Default 1 minute. */
  readonly openFor?: Duration | undefined;
  /** Calls that probe it afterwards: this many at a time, and this many must succeed to close it. Default 1. */
  readonly probes?: number | undefined;
  /** Decides which errors count as failures of the dependency; a bad request, for example, does not. Default: all. */
  readonly isFailure?: ((error: unknown) => boolean) | undefined;
}

/** Outcome of a call, or change of state. */
export type BreakerEvent =
  | { readonly type: "state"; readonly name: string; readonly from: BreakerState; readonly to: BreakerState }
  | {
      readonly type: "call";
      readonly name: string;
      /** `ignored`: aborted by its caller, or failed in a way that is not the dependency's fault. */
      readonly outcome: "success" | "failure" | "ignored" | "refused";
    };

export type BreakerListener = (event: BreakerEvent) => void;

/** State of a breaker at one moment, as people see it. */
export interface BreakerSnapshot {
  readonly name: string;
  readonly state: BreakerState;
  /** Failures that count: those in a row, or within the window of the `ratio`. 0 unless it is closed. */
  readonly failures: number;
  /** Failures that open it: `5 in a row`, `50 % of 10 or more calls in 1m`. */
  readonly threshold: string;
  /** Time at which an open breaker lets a call through, in milliseconds since 1970. */
  readonly openUntil?: number | undefined;
  /** Message of the last failure, also after the breaker has closed; a reset removes it. */
  readonly lastError?: string | undefined;
  readonly lastFailureAt?: number | undefined;
}

/** Error of a call that an open breaker refused. */
export class CircuitOpenError extends Error {
  override readonly name = "CircuitOpenError";

  constructor(
    /** Name of the dependency. */
    readonly dependency: string,
    /** Milliseconds until a call may pass. */
    readonly retryAfter: number,
    options?: ErrorOptions,
  ) {
    super(
      `${dependency} has failed too often and is left alone; it is tried again in ${formatDuration(Math.ceil(retryAfter))}`,
      options,
    );
  }
}

/** Retry delay in milliseconds while other calls probe the dependency. */
const whileProbing = 1000;

export class Breaker {
  readonly name: string;
  readonly #clock: Clock;
  readonly #listener: BreakerListener;
  readonly #failures: number;
  readonly #ratio: number | undefined;
  readonly #minimum: number;
  readonly #openFor: number;
  readonly #probes: number;
  readonly #isFailure: (error: unknown) => boolean;
  readonly #window: OutcomeWindow;
  #state: BreakerState = "closed";
  #era = 0;
  /** Failures in a row while closed, successes while half-open. */
  #count = 0;
  /** Start times of active probes, oldest first. */
  readonly #probing = new Set<{ readonly since: number }>();
  #openedAt = 0;
  #lastError: unknown;
  #lastFailure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(
    name: string,
    options: BreakerOptions & { readonly clock: Clock; readonly listener?: BreakerListener | undefined },
  ) {
    this.name = name;
    this.#clock = options.clock;
    this.#listener = options.listener ?? (() => {});
    this.#failures = atLeastOne("failures", options.failures ?? 5);
    this.#ratio = options.ratio;
    if (this.#ratio !== undefined && !(this.#ratio > 0 && this.#ratio <= 1)) {
      throw new RangeError(
        `the ratio of breaker ${name} is ${this.#ratio}: give a share above 0 and up to 1`,
      );
    }
    this.#minimum = atLeastOne("minimum", options.minimum ?? 10);
    this.#openFor = duration(options.openFor ?? "1m");
    this.#probes = atLeastOne("probes", options.probes ?? 1);
    this.#isFailure = options.isFailure ?? (() => true);
    this.#window = new OutcomeWindow(duration(options.window ?? "1m"));
  }

  get state(): BreakerState {
    if (this.#state !== "open") return this.#state;
    const age = this.#clock.now() - this.#openedAt;
    // If the clock was set back, the elapsed time is unknown: probing early does no harm, waiting for hours would.
    return age >= this.#openFor || age < 0 ? "half-open" : "open";
  }

  /** Milliseconds until a call may pass; 0 if it may now. */
  get retryAfter(): number {
    const state = this.state;
    if (state === "open") return this.#openedAt + this.#openFor - this.#clock.now();
    return state === "half-open" && this.#probing.size >= this.#probes ? whileProbing : 0;
  }

  /** The failure that opened it; undefined when it is closed. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /**
   * Makes a call, or refuses to with a {@link CircuitOpenError}. One that the signal aborts has no outcome, unless
   * `isTimeUp` says of the reason that it took too long: that is a failure.
   *
   * @example
   * const answer = await breaker.run((signal) => fetch(url, { signal }), signal);
   */
  async run<T>(
    call: (signal?: AbortSignal) => T | Promise<T>,
    signal?: AbortSignal,
    isTimeUp: (reason: unknown) => boolean = () => false,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.#admit();
    const era = this.#era;
    const probe = this.#state === "half-open" ? { since: this.#clock.now() } : undefined;
    if (probe) this.#probing.add(probe);
    try {
      const result = await call(signal);
      this.#succeeded(era);
      return result;
    } catch (error) {
      const isCancelled = signal !== undefined && signal.aborted && !isTimeUp(signal.reason);
      if (isCancelled || !this.#isFailure(error)) this.#tell("ignored");
      else this.#failed(era, error);
      throw error;
    } finally {
      if (probe) this.#probing.delete(probe);
    }
  }

  /** Closes it by hand, and resets its counters. */
  reset(): void {
    this.#move("closed");
    this.#lastFailure = undefined;
  }

  snapshot(): BreakerSnapshot {
    const { name, state } = this;
    const failure = this.#lastFailure;
    return {
      name,
      state,
      failures: state === "closed" ? this.#countedFailures() : 0,
      threshold: this.#threshold(),
      ...(state === "open" && { openUntil: this.#openedAt + this.#openFor }),
      ...(failure !== undefined && { lastError: messageOf(failure.error), lastFailureAt: failure.at }),
    };
  }

  #countedFailures(): number {
    return this.#ratio === undefined ? this.#count : this.#window.totals(this.#clock.now()).failures;
  }

  #threshold(): string {
    if (this.#ratio === undefined) return `${this.#failures} in a row`;
    const share = Math.round(this.#ratio * 1000) / 10;
    return `${share} % of ${this.#minimum} or more calls in ${formatDuration(this.#window.period)}`;
  }

  #admit(): void {
    const state = this.state;
    if (state !== this.#state) this.#move(state);
    if (state === "half-open" && this.#probing.size >= this.#probes) {
      const [oldest] = this.#probing;
      // A probe without a response counts as failed: otherwise one call that hangs would keep the breaker half-open for ever.
      if (oldest && this.#clock.now() - oldest.since >= this.#openFor) this.#open(this.#lastError);
    }
    const retryAfter = this.retryAfter;
    if (retryAfter <= 0) return;
    this.#tell("refused");
    throw new CircuitOpenError(this.name, retryAfter, { cause: this.#lastError });
  }

  #succeeded(era: number): void {
    this.#tell("success");
    if (era !== this.#era) return;
    if (this.#state === "half-open") {
      if (++this.#count >= this.#probes) this.#move("closed");
      return;
    }
    this.#count = 0;
    if (this.#ratio !== undefined) this.#window.add(this.#clock.now(), false);
  }

  #failed(era: number, error: unknown): void {
    this.#lastFailure = { error, at: this.#clock.now() };
    this.#tell("failure");
    if (era !== this.#era) return;
    if (this.#state === "half-open" || this.#isTooMuch()) this.#open(error);
  }

  /** Counts one more failure. */
  #isTooMuch(): boolean {
    if (this.#ratio === undefined) return ++this.#count >= this.#failures;
    this.#window.add(this.#clock.now(), true);
    const { calls, failures } = this.#window.totals(this.#clock.now());
    return calls >= this.#minimum && failures / calls >= this.#ratio;
  }

  #open(error: unknown): void {
    this.#lastError = error;
    this.#openedAt = this.#clock.now();
    this.#move("open");
  }

  #move(to: BreakerState): void {
    const from = this.#state;
    this.#state = to;
    this.#era++;
    this.#count = 0;
    this.#probing.clear();
    if (to === "closed") {
      this.#window.clear();
      this.#lastError = undefined;
    }
    if (from !== to) this.#listener({ type: "state", name: this.name, from, to });
  }

  #tell(outcome: (BreakerEvent & { type: "call" })["outcome"]): void {
    this.#listener({ type: "call", name: this.name, outcome });
  }
}

function atLeastOne(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new RangeError(`${option} is ${value}: give a whole number of 1 or more`);
}
