import type { Clock } from "./clock.js";

/** Something that must be over at a time. */
export interface Expiring {
  deadline: number | undefined;
}

/** Maximum delay with which the end of a deadline is noticed, in milliseconds. */
const stride = 1000;

/**
 * Calls back for what is not over in time. One timer looks after all of them, because most requests are over long
 * before, and a timer for each would cost more than many of them do.
 */
export class Deadlines<Item extends Expiring> {
  readonly #clock: Clock;
  readonly #expired: (item: Item) => void;
  readonly #items = new Set<Item>();
  #looking = false;

  constructor(clock: Clock, expired: (item: Item) => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  add(item: Item, milliseconds: number): void {
    item.deadline = this.#clock.now() + milliseconds;
    this.#items.add(item);
    if (!this.#looking) this.#lookLater();
  }

  delete(item: Item): void {
    if (item.deadline === undefined) return;
    item.deadline = undefined;
    this.#items.delete(item);
  }

  #look(): void {
    const now = this.#clock.now();
    for (const item of this.#items) {
      if (item.deadline === undefined || item.deadline > now) continue;
      this.delete(item);
      this.#expired(item);
    }
    this.#looking = false;
    if (this.#items.size > 0) this.#lookLater();
  }

  #lookLater(): void {
    this.#looking = true;
    this.#clock.after(stride, () => this.#look());
  }
}
