import { deferred, type Deferred } from "../../client/async/deferred.js";
import { onAbort } from "../../client/async/on-abort.js";
import type { BatchItem, PipelineHandler } from "./pipeline-handler.js";

/*
 * Collects the events of each type that wait for a handler with `handleBatch`.
 *
 * The first event of a type starts a batch at once; those that come while it runs wait, and are the next batch. So a batch costs
 * no delay, and grows with the load. An event whose signal aborts leaves: one that waits is taken out, and a batch that is running
 * ends for its type when all of its events have left, even if the handler never returns.
 *
 * Invariant: a batch has at most one event of an object, since the next event of an object is delivered after this one.
 */

interface Waiting {
  readonly item: BatchItem;
  readonly done: Deferred<unknown>;
}

interface TypeQueue {
  readonly waiting: Set<Waiting>;
  isRunning: boolean;
}

export interface BatchCollectorOptions {
  readonly maxSize: number;
  readonly onBatch: (size: number) => void;
}

export class BatchCollector {
  readonly #handler: PipelineHandler & Required<Pick<PipelineHandler, "handleBatch">>;
  readonly #options: BatchCollectorOptions;
  readonly #queues = new Map<string, TypeQueue>();

  constructor(
    handler: PipelineHandler & Required<Pick<PipelineHandler, "handleBatch">>,
    options: BatchCollectorOptions,
  ) {
    this.#handler = handler;
    this.#options = options;
  }

  /** Handles an event, alone or with others. */
  async handle(item: BatchItem): Promise<unknown> {
    const { type } = item.event;
    const { signal } = item.context;
    signal.throwIfAborted();
    const queue = this.#queueOf(type);
    const waiting: Waiting = { item, done: deferred() };
    queue.waiting.add(waiting);
    const cancel = onAbort(signal, () => {
      queue.waiting.delete(waiting);
      waiting.done.reject(signal.reason);
    });
    if (!queue.isRunning) {
      queue.isRunning = true;
      // Events that are delivered in the same turn belong to the batch.
      queueMicrotask(() => void this.#work(type, queue));
    }
    try {
      return await waiting.done.promise;
    } finally {
      cancel();
    }
  }

  #queueOf(type: string): TypeQueue {
    let queue = this.#queues.get(type);
    if (queue === undefined) {
      queue = { waiting: new Set(), isRunning: false };
      this.#queues.set(type, queue);
    }
    return queue;
  }

  async #work(type: string, queue: TypeQueue): Promise<void> {
    while (queue.waiting.size > 0) {
      const batch = [...queue.waiting].slice(0, this.#options.maxSize);
      for (const each of batch) queue.waiting.delete(each);
      this.#options.onBatch(batch.length);
      void this.#run(batch);
      await Promise.allSettled(batch.map(({ done }) => done.promise));
    }
    this.#queues.delete(type);
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    if (batch.length > 1 && (await this.#runTogether(batch))) return;
    for (const { item, done } of batch) {
      const { event, context } = item;
      // A promise that has been rejected by its signal ignores this.
      void Promise.resolve()
        .then(() => (context.signal.aborted ? undefined : this.#handler.handle(event, context)))
        .then(done.resolve, done.reject);
    }
  }

  /** Returns false if the batch failed as a whole. */
  async #runTogether(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const results = await this.#handler.handleBatch(batch.map(({ item }) => item));
      const list = Array.isArray(results) ? (results as readonly unknown[]) : [];
      for (const [index, { done }] of batch.entries()) {
        const result = list[index];
        if (result instanceof Error) done.reject(result);
        else done.resolve(result);
      }
      return true;
    } catch {
      return false;
    }
  }
}
