/** Number of slots into which a window is divided; the oldest is dropped as time passes. */
const slots = 10;

/** Counts calls and failures within a sliding window, in constant memory. */
export class OutcomeWindow {
  /** In milliseconds. */
  readonly period: number;
  readonly #slotLength: number;
  #counts: { slot: number; calls: number; failures: number }[] = [];

  constructor(period: number) {
    if (!(period > 0)) throw new RangeError("the window of a breaker must be longer than 0");
    this.period = period;
    this.#slotLength = period / slots;
  }

  add(now: number, failed: boolean): void {
    const slot = Math.floor(now / this.#slotLength);
    let last = this.#counts.at(-1);
    if (last?.slot !== slot) {
      this.#forget(slot);
      last = { slot, calls: 0, failures: 0 };
      this.#counts.push(last);
    }
    last.calls++;
    if (failed) last.failures++;
  }

  totals(now: number): { readonly calls: number; readonly failures: number } {
    this.#forget(Math.floor(now / this.#slotLength));
    let calls = 0;
    let failures = 0;
    for (const count of this.#counts) {
      calls += count.calls;
      failures += count.failures;
    }
    return { calls, failures };
  }

  clear(): void {
    this.#counts = [];
  }

  /** Drops slots in the future, too: the clock was set back. */
  #forget(slot: number): void {
    this.#counts = this.#counts.filter((count) => count.slot > slot - slots && count.slot <= slot);
  }
}
