import { systemClock, type Clock } from "../../model/core.js";
import { Breaker, type BreakerEvent, type BreakerListener, type BreakerOptions } from "./breaker.js";

export interface BreakersOptions {
  readonly clock?: Clock | undefined;
  /** Options of breakers that are created without any. */
  readonly defaults?: BreakerOptions | undefined;
  /** Called when a listener throws, which does not affect the call. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates the circuit breakers of a process, one per dependency, by name: all callers of a dependency share their failures.
 *
 * @example
 * const shared = breakers({ defaults: { failures: 5, openFor: "1m" } });
 * const answer = await shared.get("gateway").run((signal) => ask(gateway, signal), signal);
 */
export function breakers(options: BreakersOptions = {}): Breakers {
  return new Breakers(options);
}

export class Breakers implements Iterable<Breaker> {
  readonly #clock: Clock;
  readonly #defaults: BreakerOptions;
  readonly #known = new Map<string, { readonly breaker: Breaker; told: BreakerOptions | undefined }>();
  readonly #listeners = new Set<BreakerListener>();
  readonly #onError: (error: unknown) => void;

  constructor({ clock = systemClock, defaults = {}, onError = () => {} }: BreakersOptions) {
    this.#onError = onError;
    this.#clock = clock;
    this.#defaults = defaults;
  }

  /**
   * The breaker of a dependency, created on first use. Options are given on first use, or must be the same each time.
   */
  get(name: string, options?: BreakerOptions): Breaker {
    const known = this.#known.get(name);
    if (known === undefined) {
      const listener = (event: BreakerEvent): void => this.#tell(event);
      const breaker = new Breaker(name, { ...this.#defaults, ...options, clock: this.#clock, listener });
      this.#known.set(name, { breaker, told: options });
      return breaker;
    }
    if (options !== undefined && !isSame(options, known.told)) {
      throw new Error(
        `breaker ${name} already exists with other options: set its options only where it is first used`,
      );
    }
    return known.breaker;
  }

  /** Calls back on every call and change of state of all breakers; the returned function stops that. */
  listen(listener: BreakerListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  *[Symbol.iterator](): Iterator<Breaker> {
    for (const { breaker } of this.#known.values()) yield breaker;
  }

  #tell(event: BreakerEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function isSame(options: BreakerOptions, told: BreakerOptions | undefined): boolean {
  const keys = new Set([...Object.keys(options), ...Object.keys(told ?? {})]) as Set<keyof BreakerOptions>;
  return [...keys].every((key) => options[key] === told?.[key]);
}
