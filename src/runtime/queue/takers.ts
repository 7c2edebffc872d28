import { onAbort } from "../../client/on-abort.js";
import type { QueueItem } from "./queue-item.js";

interface Taker<Reason> {
  readonly resolve: (item: QueueItem<Reason> | undefined) => void;
  readonly stopListening: () => void;
}

/** Calls of `take` that wait for an item, in the order of the calls. An aborted call leaves without an item. */
export class Takers<Reason> {
  readonly #waiting = new Set<Taker<Reason>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  wait(signal: AbortSignal | undefined): Promise<QueueItem<Reason> | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(taker);
        reject(signal?.reason);
      };
      const stopListening = signal ? onAbort(signal, abort) : (): void => {};
      const taker: Taker<Reason> = { resolve, stopListening };
      this.#waiting.add(taker);
    });
  }

  /** Resolves the first call. */
  give(item: QueueItem<Reason>): void {
    const [first] = this.#waiting;
    if (first !== undefined) this.#resolve(first, item);
  }

  /** Resolves all calls with undefined: there will be no more items. */
  end(): void {
    for (const taker of this.#waiting) this.#resolve(taker, undefined);
  }

  #resolve(taker: Taker<Reason>, item: QueueItem<Reason> | undefined): void {
    this.#waiting.delete(taker);
    taker.stopListening();
    taker.resolve(item);
  }
}
