import { VirtualClock, type Timer } from "../../model/core.js";

/**
 * A virtual clock that can say when its next timer is due, so that whoever moves it can go from one to the next and let
 * each of them have its effect.
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

  /** When the next timer is due, in milliseconds since 1970; undefined when none waits. */
  get next(): number | undefined {
    let first: number | undefined;
    for (const due of this.#due.values()) if (first === undefined || due < first) first = due;
    return first;
  }
}
