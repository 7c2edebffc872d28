/** Random choices that are the same for the same seed. */
export class Choices {
  #state: number;

  constructor(...from: readonly number[]) {
    let state = 0x9e3779b9;
    for (const number of from) state = scramble(Math.imul(state, 31) ^ Math.trunc(number));
    this.#state = state;
  }

  /** Integer from 0 up to, but not including, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return Math.floor((scramble(this.#state) / 2 ** 32) * end);
  }

  /** True once in so many times, on average. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error("there is nothing to choose from");
    return items[this.below(items.length)] as Item;
  }

  /** Picks an item with a probability in proportion to its weight. */
  weighted<Item>(items: readonly (readonly [number, Item])[]): Item {
    let at = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) {
      if (at < weight) return item;
      at -= weight;
    }
    throw new Error("there is nothing to choose from");
  }

  /** Picks at most so many items, with repetitions. */
  several<Item>(items: readonly Item[], most: number): Item[] {
    return Array.from({ length: this.below(most + 1) }, () => this.pick(items));
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}

/** Mixes all bits into an unsigned integer of 32 bits. */
function scramble(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
