/** Queue that serves users in turn, however many items each of them has queued. Items of one user keep their order. */
export class RoundRobin<Item> {
  /** Users with queued items, next in turn first. Never empty sets. */
  readonly #users = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(user: string, item: Item): void {
    const items = this.#users.get(user);
    if (items === undefined) this.#users.set(user, new Set([item]));
    else items.add(item);
    this.#size++;
  }

  /** Removes and returns the next item. */
  shift(): Item | undefined {
    for (const [user, items] of this.#users) {
      // The user moves to the end.
      this.#users.delete(user);
      for (const item of items) {
        items.delete(item);
        this.#size--;
        if (items.size > 0) this.#users.set(user, items);
        return item;
      }
    }
    return undefined;
  }

  delete(user: string, item: Item): void {
    const items = this.#users.get(user);
    if (items?.delete(item) !== true) return;
    this.#size--;
    if (items.size === 0) this.#users.delete(user);
  }
}
