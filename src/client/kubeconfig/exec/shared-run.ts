interface Run<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Expensive operation, shared by concurrent callers. When one of them aborts, the others keep waiting; when all have aborted,
 * the operation is aborted.
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
    let leave = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      leave = () => {
        // Cleared before the abort: the next caller starts a new run.
        if (--run.waiting === 0) {
          if (this.#current === run) this.#current = undefined;
          run.abort.abort(signal?.reason);
        }
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([run.result, aborted]);
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #begin(): Run<T> {
    const abort = new AbortController();
    const result = this.#work(abort.signal).finally(() => {
      if (this.#current?.result === result) this.#current = undefined;
    });
    // All callers may have aborted before it fails.
    result.catch(() => {});
    return { result, abort, waiting: 0 };
  }
}
