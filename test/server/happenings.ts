interface Waiter<Item> {
  readonly enough: (all: readonly Item[]) => boolean;
  readonly resolve: (all: readonly Item[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Values that callbacks report, in order, for tests to await. */
export class Happenings<Item> {
  readonly all: Item[] = [];
  #failure: { readonly error: unknown } | undefined;
  #waiters: Waiter<Item>[] = [];

  add(item: Item): void {
    this.all.push(item);
    this.#waiters = this.#waiters.filter(({ enough, resolve }) => {
      if (!enough(this.all)) return true;
      resolve(this.all);
      return false;
    });
  }

  /** Ends the sequence: pending and later waits reject with this error. */
  fail(error: unknown): void {
    this.#failure = { error };
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  /** Resolves when a condition holds; rejects when the sequence has ended. */
  until(enough: (all: readonly Item[]) => boolean): Promise<readonly Item[]> {
    return new Promise((resolve, reject) => {
      if (enough(this.all)) resolve(this.all);
      else if (this.#failure !== undefined) reject(this.#failure.error);
      else this.#waiters.push({ enough, resolve, reject });
    });
  }
}
