import type { Clock } from "../../../model/core.js";

/** Delayed rejections sent together, and the milliseconds from one batch to the next. */
const batchSize = 50;
const batchInterval = 50;

/** Rejections per second that are sent without delay. */
const immediatePerSecond = 100;

/**
 * Rate limit for 429 responses. The first ones of each second are sent at once, the others in small batches: clients that ignore
 * `Retry-After` would otherwise keep the server busy with rejecting them. A busy event loop slows the batches down further.
 */
export class Rejections {
  readonly #clock: Clock;
  readonly #delayed = new Set<() => void>();
  /** Start of the second in which immediate rejections are counted. */
  #countedSince = -Infinity;
  #immediate = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a rejection; true when it may be sent at once. */
  takeImmediate(): boolean {
    if (this.#delayed.size > 0) return false;
    const now = this.#clock.now();
    if (now - this.#countedSince >= 1000) {
      this.#countedSince = now;
      this.#immediate = 0;
    }
    return ++this.#immediate <= immediatePerSecond;
  }

  /** Calls `send` with one of the next batches. Returns a function that cancels it. */
  delay(send: () => void): () => void {
    this.#delayed.add(send);
    if (this.#delayed.size === 1) this.#scheduleBatch();
    return () => void this.#delayed.delete(send);
  }

  #scheduleBatch(): void {
    this.#clock.after(batchInterval, () => {
      let sent = 0;
      for (const send of this.#delayed) {
        if (sent++ === batchSize) break;
        this.#delayed.delete(send);
        send();
      }
      if (this.#delayed.size > 0) this.#scheduleBatch();
    });
  }
}
