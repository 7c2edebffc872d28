/** A stream of choices that is the same whenever it begins from the same numbers. */
export class Choices {
  #state: number;

  constructor(...from: readonly number[]) {
    let state = 0x9e3779b9;
    for (const number of from) state = scramble(Math.imul(state, 31) ^ Math.trunc(number));
    this.#state = state;
  }

  /** A whole number from 0 to `end`, without it. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return Math.floor((scramble(this.#state) / 2 ** 32) * end);
  }

  /** Whether something happens that happens once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error("there is nothing to choose from");
    return items[this.below(items.length)] as Item;
  }

  /** One of these, each as often as its number says. */
  weighted<Item>(items: readonly (readonly [number, Item])[]): Item {
    let at = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) {
      if (at < weight) return item;
      at -= weight;
    }
    throw new Error("there is nothing to choose from");
  }

  /** So many of these, or fewer, with repetitions. */
  several<Item>(items: readonly Item[], most: number): Item[] {
    return Array.from({ length: this.below(most + 1) }, () => this.pick(items));
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}

/** A good mixture of all bits, as a whole number of 32 bits without a sign. */
function scramble(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
