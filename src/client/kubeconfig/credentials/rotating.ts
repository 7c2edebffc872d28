import { reasonOf } from "../kubeconfig-error.js";
import type { Surroundings } from "../surroundings.js";

const keptFor = 60_000;
const retriedAfter = 10_000;

/**
 * Something in files that others replace while we run: a token, a certificate. It is read when asked for and kept for a
 * minute. When it can no longer be read the last one stays, since it is probably good for a while; only the first failure is
 * the caller's.
 */
export class Rotating<T> {
  readonly #read: () => Promise<T>;
  readonly #what: string;
  readonly #surroundings: Surroundings;
  #last: { readonly value: T; readonly since: number } | undefined;
  /** The read that is under way, shared by all who ask meanwhile. */
  #reading: Promise<T> | undefined;

  /** `what` names it in a warning: "the token in /var/run/token". */
  constructor(what: string, read: () => Promise<T>, surroundings: Surroundings) {
    this.#what = what;
    this.#read = read;
    this.#surroundings = surroundings;
  }

  async get(renew = false): Promise<T> {
    const last = this.#last;
    const age = last === undefined ? Infinity : this.#surroundings.clock.now() - last.since;
    if (last !== undefined && !renew && age >= 0 && age < keptFor) return last.value;
    this.#reading ??= this.#readAgain().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAgain(): Promise<T> {
    const { clock, warn } = this.#surroundings;
    const last = this.#last;
    try {
      const value = await this.#read();
      this.#last = { value, since: clock.now() };
      return value;
    } catch (error) {
      if (last === undefined) throw error;
      warn(`${this.#what} could not be read again, so the last one stays in use: ${reasonOf(error)}`);
      this.#last = { value: last.value, since: clock.now() - keptFor + retriedAfter };
      return last.value;
    }
  }
}
