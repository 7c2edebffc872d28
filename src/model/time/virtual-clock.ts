import type { Clock, Timer } from "./clock.js";

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

interface VirtualClockOptions {
  /**
   * Waits for work that a timer started and that awaiting promises does not complete, such as a response from
   * another process. Time stands still until it resolves.
   */
  readonly settle?: (() => Promise<void>) | undefined;
}

/**
 * Clock that moves only when a test advances it. Timers fire in the order they are due, ties in the order
 * they were set. Pending promises settle before the next timer fires, so the effects of one timer are visible
 * to the next.
 *
 * @example
 * const clock = new VirtualClock("2026-01-01T00:00:00Z");
 * clock.after(60_000, () => console.log("a minute later"));
 * await clock.advance(60_000);
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #pending = new Set<Pending>();
  readonly #alsoSettle: (() => Promise<void>) | undefined;

  constructor(start: number | string = "2026-01-01T00:00:00Z", { settle }: VirtualClockOptions = {}) {
    this.#now = typeof start === "string" ? Date.parse(start) : start;
    this.#alsoSettle = settle;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): Timer {
    const due = this.#now + Math.max(0, milliseconds);
    const pending: Pending = { due, order: this.#order++, callback };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** Number of pending timers. */
  get timers(): number {
    return this.#pending.size;
  }

  /** Advances time and fires every timer that becomes due. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.#settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#fire(next);
      await this.#settle();
    }
    this.#now = end;
  }

  /** Advances to the next timer and fires it; false if there is none. */
  async step(): Promise<boolean> {
    await this.#settle();
    const next = this.#next(Infinity);
    if (next === undefined) return false;
    this.#fire(next);
    await this.#settle();
    return true;
  }

  async #settle(): Promise<void> {
    await flushPromises();
    if (this.#alsoSettle === undefined) return;
    await this.#alsoSettle();
    await flushPromises();
  }

  #fire(timer: Pending): void {
    this.#pending.delete(timer);
    this.#now = timer.due;
    timer.callback();
  }

  #next(until: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.due > until) continue;
      if (!first || pending.due < first.due || (pending.due === first.due && pending.order < first.order)) {
        first = pending;
      }
    }
    return first;
  }
}

/** Lets resolved promises run; a chain of `await`s needs one turn for each. */
async function flushPromises(): Promise<void> {
  for (let turn = 0; turn < 32; turn++) await Promise.resolve();
}
