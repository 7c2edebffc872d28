import type { Clock } from "../../../model/core.js";

/** How many are told in one go, and how long it is to the next, in milliseconds. */
const batch = 50;
const interval = 50;

/** So many in a second are told at once. */
const quick = 100;

/**
 * When refusals are told. The first of a second are told at once. The others wait in a row that moves slowly, because
 * those who come again at once, whatever they are told, would otherwise keep the server busy with refusing them. Where the
 * server gets to it less often than it wants to, the row moves even more slowly.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #row = new Set<() => void>();
  /** Since when those that are told at once are counted. */
  #since = -Infinity;
  #told = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether one more can be told at once. */
  get isQuick(): boolean {
    if (this.#row.size > 0) return false;
    const now = this.#clock.now();
    if (now - this.#since >= 1000) {
      this.#since = now;
      this.#told = 0;
    }
    return ++this.#told <= quick;
  }

  /** Calls back when it is time; what is returned calls that off. */
  later(tell: () => void): () => void {
    this.#row.add(tell);
    if (this.#row.size === 1) this.#wait();
    return () => void this.#row.delete(tell);
  }

  #wait(): void {
    this.#clock.after(interval, () => {
      let told = 0;
      for (const tell of this.#row) {
        if (told++ === batch) break;
        this.#row.delete(tell);
        tell();
      }
      if (this.#row.size > 0) this.#wait();
    });
  }
}
