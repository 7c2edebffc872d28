import { reasonOf } from "../kubeconfig-error.js";
import type { Surroundings } from "../surroundings.js";

const keptFor = 60_000;
const retriedAfter = 10_000;

/**
 * Value in files that are replaced at run time: a token, a certificate. It is read on demand and cached for a minute. If a
 * later read fails, the last value is kept, since it is probably still valid; only a failure of the first read is thrown.
 */
export class Rotating<T> {
  readonly #read: () => Promise<T>;
  readonly #what: string;
  readonly #surroundings: Surroundings;
  #last: { readonly value: T; readonly since: number } | undefined;
  /** Pending read, shared by concurrent callers. */
  #reading: Promise<T> | undefined;

  /** `what` names the value in warnings: "the token in /var/run/token". */
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
