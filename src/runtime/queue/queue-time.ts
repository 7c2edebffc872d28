import { type Clock, systemClock } from "../../model/time/clock.js";

/** What is to happen as soon as this piece of work is over; `queueMicrotask` costs several times as much. */
const turn = Promise.resolve();

/**
 * The time as a queue counts it: milliseconds since the queue was made. Such numbers are small, and small whole numbers
 * are kept within an entry, where those on the wall would each be an object beside it.
 *
 * The machine's clock is looked at once in a turn of the event loop: a look costs as much as the rest of an `add`. Any
 * other clock may be moved at any moment, and is looked at each time.
 */
export class QueueTime {
  readonly #clock: Clock;
  readonly #began: number;
  readonly #keeps: boolean;
  #seen = 0;
  #fresh = false;
  readonly #forget = (): void => {
    this.#fresh = false;
  };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
    this.#keeps = clock === systemClock;
  }

  /** What it was when this turn began, or was looked at anew. */
  now(): number {
    return this.#fresh ? this.#seen : this.look();
  }

  /** What it is right now. */
  look(): number {
    const passed = this.#clock.now() - this.#began;
    // A difference of large numbers counts as large itself until it is said to be whole.
    const whole = passed | 0;
    this.#seen = whole === passed ? whole : passed;
    if (this.#keeps && !this.#fresh) {
      this.#fresh = true;
      void turn.then(this.#forget);
    }
    return this.#seen;
  }

  /** The time on the wall at a time of the queue's. */
  onWall(time: number): number {
    return this.#began + time;
  }

  /** The queue's time at one on the wall. */
  ofWall(time: number): number {
    return time - this.#began;
  }
}
