import { type Clock, systemClock } from "../../model/time/clock.js";

/** When everything that is ready to run has run; the one of the machine, whatever a test puts in its place later. */
const atTurnsEnd = setImmediate;
/** A turn may be long, where nothing waits for a disk or a network. */
const usesOfALook = 64;

/**
 * The time as a queue counts it: milliseconds since the queue was made. Such numbers are small, and small whole numbers
 * are kept within an object, where those on the wall would each be an object beside it.
 *
 * The machine's clock is looked at once in a turn of the event loop, or once for so many uses: a look costs as much as the
 * rest of an `add`. Any other clock may be moved at any moment, and is looked at each time.
 */
export class QueueTime {
  readonly #clock: Clock;
  readonly #began: number;
  readonly #keeps: boolean;
  #seen = 0;
  /** How often what was seen may still be used. */
  #left = 0;
  #forgetting = false;
  readonly #forget = (): void => {
    this.#left = 0;
    this.#forgetting = false;
  };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
    this.#keeps = clock === systemClock;
  }

  /** What it was when this turn began, or was looked at anew. */
  now(): number {
    if (this.#left === 0) return this.look();
    this.#left -= 1;
    return this.#seen;
  }

  /** What it is right now. */
  look(): number {
    const passed = this.#clock.now() - this.#began;
    // A difference of large numbers counts as large itself until it is said to be whole.
    const whole = passed | 0;
    this.#seen = whole === passed ? whole : passed;
    if (this.#keeps) this.#keep();
    return this.#seen;
  }

  #keep(): void {
    this.#left = usesOfALook;
    if (this.#forgetting) return;
    this.#forgetting = true;
    atTurnsEnd(this.#forget);
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
