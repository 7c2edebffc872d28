import { sleep, type Clock } from "../../model/core.js";

/**
 * What informers are shown. At most one of these at a time, for all streams of all kinds:
 *
 * - **open**: everything, as it happens;
 * - **held**: nothing until a moment; then all of it, in order;
 * - **blind**: nothing until the workload's next write, or a moment when nobody waits for that; then streams that missed
 *   something break, and everything is listed as it is by then.
 */
export class Views {
  readonly #clock: Clock;
  #until = 0;
  #blind = false;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return !this.#blind && this.#clock.now() >= this.#until;
  }

  /** Whether what happens now is never told. */
  get isBlind(): boolean {
    return this.#blind;
  }

  hold(milliseconds: number): void {
    this.#until = Math.max(this.#until, this.#clock.now() + milliseconds);
    this.#clock.after(milliseconds, () => this.#wake());
  }

  blind(): void {
    this.#blind = true;
  }

  /** The world has moved on. */
  see(): void {
    if (!this.#blind) return;
    this.#blind = false;
    this.#wake();
  }

  async opened(): Promise<void> {
    while (!this.isOpen) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    if (!this.isOpen) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export const never = <T>(): Promise<T> => new Promise<T>(() => {});

export function later(clock: Clock, milliseconds: number): Promise<void> {
  return sleep(clock, milliseconds);
}
