import { systemClock, type Clock } from "../../model/core.js";
import { Breaker, type BreakerEvent, type BreakerListener, type BreakerOptions } from "./breaker.js";

export interface BreakersOptions {
  readonly clock?: Clock | undefined;
  /** What breakers are like that are not told otherwise. */
  readonly defaults?: BreakerOptions | undefined;
  /** Is told when a listener throws; that is no reason for a call to fail. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * The breakers of a process, one for each dependency by name: everybody who calls a dependency learns from everybody's
 * failures.
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
   * The breaker of a dependency, made when it is first asked for. Options are for whoever asks first, or the same from
   * everybody: two that want different ones would not get what they want.
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
        `the breaker ${name} is there already, with other options: give them where it is first asked for, and only there`,
      );
    }
    return known.breaker;
  }

  /** Is told of every call and every change of state, of all breakers; returns how to stop that. */
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
