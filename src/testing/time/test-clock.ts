import { VirtualClock, type Timer } from "../../model/core.js";

/**
 * Virtual clock with the time of its next timer, so that it can be moved from timer to timer.
 *
 * @example
 * const plane = await testPlane({ controllers: [sites], clock: new TestClock("2026-03-01T08:00:00Z") });
 */
export class TestClock extends VirtualClock {
  readonly #due = new Map<object, number>();

  override after(milliseconds: number, callback: () => void): Timer {
    const key = {};
    const timer = super.after(milliseconds, () => {
      this.#due.delete(key);
      callback();
    });
    this.#due.set(key, this.now() + Math.max(0, milliseconds));
    return {
      cancel: () => {
        this.#due.delete(key);
        timer.cancel();
      },
    };
  }

  /** Time of the next timer in milliseconds since 1970; undefined when there is none. */
  get next(): number | undefined {
    let first: number | undefined;
    for (const due of this.#due.values()) if (first === undefined || due < first) first = due;
    return first;
  }
}
