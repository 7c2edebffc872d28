/**
 * A binary heap whose items know their place in it, so that any of them can be removed or moved in O(log n).
 *
 * Invariant: `placed(item, slot)` was last called with the slot that the item is in, or with -1 once it is out.
 */
export class Heap<T> {
  /** The items, and behind them room for more: an array that shrinks and grows all the time is made anew each time. */
  readonly #items: (T | undefined)[] = [];
  #size = 0;
  readonly #before: (a: T, b: T) => boolean;
  readonly #placed: (item: T, slot: number) => void;

  constructor(before: (a: T, b: T) => boolean, placed: (item: T, slot: number) => void) {
    this.#before = before;
    this.#placed = placed;
  }

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#size > 0 ? this.#items[0] : undefined;
  }

  add(item: T): void {
    if (this.#size === this.#items.length) this.#items.push(item);
    this.#size += 1;
    this.#up(item, this.#size - 1);
  }

  /** Takes out what is in a slot. */
  remove(slot: number): void {
    const item = this.#items[slot];
    if (item === undefined) throw new RangeError(`nothing is in slot ${slot}`);
    this.#size -= 1;
    const last = this.#items[this.#size] as T;
    this.#items[this.#size] = undefined;
    if (this.#items.length > 64 && this.#size * 4 < this.#items.length) this.#items.length = this.#size * 2;
    this.#placed(item, -1);
    if (item !== last) this.#settle(last, slot);
  }

  /** Restores the order after what the item in a slot is ordered by has changed. */
  moved(slot: number): void {
    const item = this.#items[slot];
    if (item === undefined) throw new RangeError(`nothing is in slot ${slot}`);
    this.#settle(item, slot);
  }

  #settle(item: T, slot: number): void {
    if (this.#up(item, slot) === slot) this.#down(item, slot);
  }

  #up(item: T, from: number): number {
    let slot = from;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#items[above] as T;
      if (!this.#before(item, parent)) break;
      this.#put(parent, slot);
      slot = above;
    }
    this.#put(item, slot);
    return slot;
  }

  #down(item: T, from: number): void {
    const items = this.#items;
    let slot = from;
    for (;;) {
      let below = slot * 2 + 1;
      if (below >= this.#size) break;
      let child = items[below] as T;
      if (below + 1 < this.#size && this.#before(items[below + 1] as T, child)) {
        below += 1;
        child = items[below] as T;
      }
      if (!this.#before(child, item)) break;
      this.#put(child, slot);
      slot = below;
    }
    this.#put(item, slot);
  }

  #put(item: T, slot: number): void {
    this.#items[slot] = item;
    this.#placed(item, slot);
  }
}
