import { duration, type Clock } from "fettle";
import type { Timer } from "fettle/model";
import type { CheckAddress, CheckedAddress, HealthCheck } from "./check-target.js";
import { countResult, initialHealth, type AddressHealth, type Hysteresis } from "./hysteresis.js";

/** Results of the checks of one address. */
export interface AddressState {
  readonly health: AddressHealth;
  /** Why it is not healthy, or not known. */
  readonly reason?: string | undefined;
}

export interface CheckOutcome {
  readonly ok: boolean;
  readonly message?: string | undefined;
}

interface ProbedAddressOptions {
  readonly target: CheckedAddress;
  readonly healthCheck: HealthCheck;
  readonly initial: AddressHealth;
  readonly clock: Clock;
  readonly random: () => number;
  readonly check: CheckAddress;
  readonly onChange: (text: string) => void;
  /** Milliseconds that intervals have at least, because of other addresses that are checked. */
  readonly shortestInterval: () => number;
  readonly onStop: () => void;
}

/** Milliseconds. A shorter interval would keep a processor busy. */
const shortestInterval = 100;
/** Longest interval while nothing is known, so that a target that is down from the start is noticed soon. */
const firstInterval = 1000;
/** Fraction by which intervals differ at random, so that checks that started together spread out. */
const jitter = 0.1;

/**
 * Checks of one address: the first one at once, then one per interval. At any time either a check is running or a timer is set, until
 * it is stopped.
 */
export class ProbedAddress {
  readonly target: CheckedAddress;
  readonly #options: ProbedAddressOptions;
  readonly #stopping = new AbortController();
  #healthCheck: HealthCheck;
  #hysteresis: Hysteresis;
  #reason: string | undefined;
  /** Another reason than the reported one, with the number of results in a row that had it. */
  #newReason: { readonly text: string; readonly count: number } | undefined;
  #running: Promise<CheckOutcome> | undefined;
  #timer: Timer | undefined;

  constructor(options: ProbedAddressOptions) {
    this.#options = options;
    this.target = options.target;
    this.#healthCheck = options.healthCheck;
    this.#hysteresis = initialHealth(options.initial);
    void this.checkNow();
  }

  get state(): AddressState {
    const { health } = this.#hysteresis;
    return health === "healthy" ? { health } : { health, reason: this.#reason };
  }

  /** Adopts the settings of a check. Other settings of the request are tried at once. */
  update(healthCheck: HealthCheck): void {
    const before = this.#healthCheck;
    this.#healthCheck = healthCheck;
    if (requestOf(before) !== requestOf(healthCheck)) {
      // Earlier results were about another request.
      this.#hysteresis = initialHealth(this.#hysteresis.health);
      void this.checkNow();
    } else if (before.interval !== healthCheck.interval && this.#running === undefined) this.#schedule();
  }

  stop(): void {
    this.#stopping.abort();
    this.#timer?.cancel();
    this.#options.onStop();
  }

  /** Checks at once, or waits for the check that is running. */
  checkNow(): Promise<CheckOutcome> {
    this.#timer?.cancel();
    if (this.#running !== undefined) return this.#running;
    const settings = this.#healthCheck;
    this.#running = this.#check(settings).finally(() => {
      this.#running = undefined;
      if (requestOf(settings) === requestOf(this.#healthCheck)) this.#schedule();
      else if (!this.#stopping.signal.aborted) void this.checkNow();
    });
    return this.#running;
  }

  #schedule(): void {
    if (this.#stopping.signal.aborted) return;
    const { clock, random } = this.#options;
    const shortest = Math.max(shortestInterval, this.#options.shortestInterval());
    const interval = Math.max(duration(this.#healthCheck.interval), shortest);
    const first = Math.max(shortest, firstInterval);
    const wait = this.#hysteresis.health === "unknown" ? Math.min(interval, first) : interval;
    this.#timer?.cancel();
    this.#timer = clock.after(wait * (1 - jitter + 2 * jitter * random()), () => void this.checkNow());
  }

  async #check(settings: HealthCheck): Promise<CheckOutcome> {
    const { check, clock } = this.#options;
    const { signal } = this.#stopping;
    try {
      const failure = await check(this.target, settings, { clock, signal });
      // A result of other settings, or of an address that is no longer used, counts for nothing.
      if (!signal.aborted && requestOf(settings) === requestOf(this.#healthCheck)) this.#count(failure);
      return { ok: failure === undefined, message: failure };
    } catch (error) {
      const message = signal.aborted
        ? "the checks were stopped"
        : error instanceof Error
          ? error.message
          : String(error);
      // The machine could not check, so that the health stays as it is.
      if (!signal.aborted) this.#explain(message);
      return { ok: false, message };
    }
  }

  #count(failure: string | undefined): void {
    const before = this.#hysteresis.health;
    this.#hysteresis = countResult(this.#hysteresis, failure === undefined, this.#healthCheck);
    const { health } = this.#hysteresis;
    if (health !== before) {
      this.#reason = failure;
      this.#newReason = undefined;
      this.#options.onChange(failure === undefined ? "the check succeeded" : failure);
    } else if (failure !== undefined) this.#explain(failure);
  }

  /**
   * Changes the reason, if the new one was seen as often in a row as a change of the health needs: failures that alternate would be
   * written to the status each time.
   */
  #explain(text: string): void {
    if (this.#hysteresis.health === "healthy" || text === this.#reason) {
      this.#newReason = undefined;
      return;
    }
    const count = this.#newReason?.text === text ? this.#newReason.count + 1 : 1;
    this.#newReason = { text, count };
    if (this.#reason !== undefined && count < this.#healthCheck.unhealthyThreshold) return;
    this.#reason = text;
    this.#newReason = undefined;
    this.#options.onChange(text);
  }
}

/** Settings on which the result of a check depends. */
function requestOf({ type, path, host, port, expect, timeout }: HealthCheck): string {
  return JSON.stringify([type, path, host, port, expect, timeout]);
}
