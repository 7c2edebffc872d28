interface Run<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Something that costs, done once for all who want it at the same time. Who gives up leaves the others waiting; when the
 * last one has, the work is aborted.
 */
export class SharedRun<T> {
  readonly #work: (signal: AbortSignal) => Promise<T>;
  #current: Run<T> | undefined;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#work = work;
  }

  async join(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const run = (this.#current ??= this.#begin());
    run.waiting++;
    let giveUp = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => {
        // Gone from here before it is aborted: who comes now begins anew.
        if (--run.waiting === 0) {
          if (this.#current === run) this.#current = undefined;
          run.abort.abort(signal?.reason);
        }
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
    });
    try {
      return await Promise.race([run.result, givenUp]);
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  #begin(): Run<T> {
    const abort = new AbortController();
    const result = this.#work(abort.signal).finally(() => {
      if (this.#current?.result === result) this.#current = undefined;
    });
    // Everybody may have left by the time it fails.
    result.catch(() => {});
    return { result, abort, waiting: 0 };
  }
}
