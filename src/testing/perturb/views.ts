import { sleep, type Clock } from "../../model/core.js";

/**
 * Delivery of events to informers. One of these states applies to all streams of all kinds:
 *
 * - **open**: events are delivered at once;
 * - **held**: events are delayed until a given time, then delivered in order;
 * - **blind**: events are dropped until the next write of the workload, or a given time; then streams that missed
 *   events break, and informers list again.
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

  /** True while events are dropped. */
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

  /** Ends the blind state. */
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
