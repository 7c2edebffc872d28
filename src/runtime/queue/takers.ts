import { onAbort } from "../../client/on-abort.js";
import type { QueueItem } from "./queue-item.js";

interface Taker<Reason> {
  readonly resolve: (work: QueueItem<Reason> | undefined) => void;
  readonly leave: () => void;
}

/** Calls of `take` that wait for work, first come, first served. One that is aborted leaves before it is given any. */
export class Takers<Reason> {
  readonly #waiting = new Set<Taker<Reason>>();

  get waiting(): boolean {
    return this.#waiting.size > 0;
  }

  wait(signal: AbortSignal | undefined): Promise<QueueItem<Reason> | undefined> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(taker);
        reject(signal?.reason);
      };
      const leave = signal ? onAbort(signal, abort) : (): void => {};
      const taker: Taker<Reason> = { resolve, leave };
      this.#waiting.add(taker);
    });
  }

  /** Gives work to the one who has waited longest. */
  give(work: QueueItem<Reason>): void {
    for (const taker of this.#waiting) {
      this.#answer(taker, work);
      return;
    }
  }

  /** Tells everybody that there will be no more work. */
  dismiss(): void {
    for (const taker of this.#waiting) this.#answer(taker, undefined);
  }

  #answer(taker: Taker<Reason>, work: QueueItem<Reason> | undefined): void {
    this.#waiting.delete(taker);
    taker.leave();
    taker.resolve(work);
  }
}
