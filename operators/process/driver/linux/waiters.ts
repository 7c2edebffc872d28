/** Wakes those who wait for a change of an attempt. */
export class Waiters {
  readonly #waiters = new Map<string, Set<Waiter>>();

  /** Creates a waiter, which notices all changes from now on. */
  create(uid: string, attempt: number): Waiter & Disposable {
    const key = `${uid}/${attempt}`;
    const waiter = new Waiter();
    const others = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, others.add(waiter));
    const dispose = (): void => {
      others.delete(waiter);
      if (others.size === 0) this.#waiters.delete(key);
    };
    return Object.assign(waiter, { [Symbol.dispose]: dispose });
  }

  wake(uid: string, attempt: number): void {
    for (const waiter of this.#waiters.get(`${uid}/${attempt}`) ?? []) waiter.wake();
  }

  wakeAll(): void {
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.wake();
  }
}

export class Waiter {
  /** A change that nobody has waited for yet. */
  #pending = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#pending = true;
    this.#resolve?.();
  }

  /** Resolves at the next change since the last call, at the latest after so many milliseconds. */
  async next(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, milliseconds);
        this.#resolve = done;
        signal?.addEventListener("abort", done, { once: true });
        function done(): void {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        }
      });
    }
    this.#pending = false;
    this.#resolve = undefined;
    signal?.throwIfAborted();
  }
}
