import { Compacted, FutureRevision, SlowWatcher } from "../errors.js";
import type { StoreWatchOptions, StoreWatch, WatchBatch } from "../store.js";
import type { HistoryPage, WatchHub } from "./hub.js";

/** Events published together, shared by all watchers of one prefix. */
export interface LiveBatch extends WatchBatch {
  /** Revision published before this batch. */
  readonly since: number;
  /** Sum of the values' sizes, which counts against the watchers' buffers. */
  readonly bytes: number;
}

const defaultBuffer = { events: 10_000, bytes: 16 * 2 ** 20 };

/** Upper bound, roughly, on the events that a reader with a backlog gets in one batch. */
const maxEventsPerTake = 1000;

/**
 * One watch, and its hand-over from history to live events.
 *
 * - **behind**: reads history page by page at the reader's pace. Nothing is buffered.
 * - **joining**: has joined its group in the hub, so published batches are queued, while the history from before it
 *   joined is still being read. A watcher joins when a page reaches the revision that was the newest when the page
 *   was requested. Then only the commits made during one read are missing; without joining, reading those would take
 *   another read, and so on for as long as others write. When the queue overflows, the watcher drops it, leaves the
 *   group and is behind again: history has everything that was dropped.
 * - **live**: history is read up to the revision at which the watcher joined; batches come from the queue. When the
 *   queue overflows now, the watch ends with {@link SlowWatcher}.
 * - **ended**: failed, aborted, or left by its reader. It is in no group, its queue is empty and its read is aborted.
 *
 * Invariant: everything up to `#handed` has been handed out, and nothing after it. A member of a group reads history
 * from `#handed` up to `#target`, and has every matching event after `#target` in its queue. The two neither overlap
 * nor leave a gap: joining and setting `#target` to the newest published revision are one step, and pages and batches
 * consist of whole commits. Nothing is reordered, because the queue is read only when `#handed` has reached
 * `#target`. This holds however long a read takes and whenever the watcher joins.
 */
export class Watcher implements StoreWatch {
  readonly prefix: string;
  readonly previous: boolean;
  readonly #hub: WatchHub;
  readonly #limits: { readonly events: number; readonly bytes: number };
  readonly #signal: AbortSignal | undefined;
  #queue: LiveBatch[] = [];
  /** Size of the queue, counted; the two change together with it. */
  #queuedEvents = 0;
  #queuedBytes = 0;
  #handed: number;
  /** Revision up to which history is read; see the invariant. */
  #target: number;
  #member = false;
  #ended = false;
  #failure: Error | undefined;
  /** Resumes the reader that waits for a page of history or for the queue to fill. */
  #wake: (() => void) | undefined;
  #reading = false;
  /** Starts the calls of `next()` that were made during another, one after the other. */
  readonly #overlapping: (() => void)[] = [];

  constructor(hub: WatchHub, { prefix, from, previous, buffer, signal }: StoreWatchOptions) {
    this.prefix = prefix;
    this.previous = previous === true;
    this.#hub = hub;
    this.#handed = from ?? hub.published;
    this.#target = hub.published;
    this.#limits = {
      events: buffer?.events ?? defaultBuffer.events,
      bytes: buffer?.bytes ?? defaultBuffer.bytes,
    };
    this.#signal = signal;
    if (signal?.aborted) this.#end();
    else signal?.addEventListener("abort", this.#end, { once: true });
  }

  get revision(): number {
    return this.#live && this.#queue.length === 0 ? this.#hub.published : this.#handed;
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchBatch, undefined, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#end();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** Queues a published batch. */
  push(batch: LiveBatch): void {
    const events = this.#queuedEvents + batch.events.length;
    const bytes = this.#queuedBytes + batch.bytes;
    // An empty queue takes any batch, so that no commit is too large to be watched.
    if (this.#queue.length > 0 && (events > this.#limits.events || bytes > this.#limits.bytes)) {
      if (!this.#live) return this.#leave();
      const limit =
        events > this.#limits.events ? `${this.#limits.events} events` : `${this.#limits.bytes} bytes`;
      return this.fail(new SlowWatcher(this.#handed, limit));
    }
    if (this.#live && this.#queue.length === 0) this.#handed = batch.since;
    this.#queuedEvents = events;
    this.#queuedBytes = bytes;
    this.#queue.push(batch);
    if (this.#live) this.#wake?.();
  }

  /** Ends the watch with an error. */
  fail(failure: Error): void {
    this.#failure = failure;
    this.#leave();
    this.#hub.remove(this);
    this.#wake?.();
  }

  get #live(): boolean {
    return this.#member && this.#handed >= this.#target;
  }

  async #next(): Promise<IteratorResult<WatchBatch, undefined>> {
    // Two reads of history at once would both deliver the same page.
    if (this.#reading) await new Promise<void>((resolve) => this.#overlapping.push(resolve));
    this.#reading = true;
    try {
      while (!this.#ended) {
        if (this.#failure) throw this.#failure;
        const live = this.#live;
        const batch = live ? this.#take() : await this.#catchUp();
        if (batch && !this.#ended) return { done: false, value: batch };
        if (live) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
          this.#wake = undefined;
        }
      }
    } catch (error) {
      if (!this.#ended) {
        this.#end();
        throw error;
      }
    } finally {
      const following = this.#overlapping.shift();
      if (following) following();
      else this.#reading = false;
    }
    return { done: true, value: undefined };
  }

  /** Reads the next page of history, or joins the group at the end of it. */
  async #catchUp(): Promise<WatchBatch | undefined> {
    this.#hub.add(this);
    const after = this.#handed;
    if (after > this.#hub.published) await this.#reach(after);
    this.#checkFloor(after);
    if (!this.#member) {
      this.#target = this.#hub.published;
      if (after === this.#target) return this.#join();
    }
    const { events, through } = await this.#readPage(after);
    // Compaction may have removed part of the page while it was being read.
    this.#checkFloor(after);
    this.#handed = through;
    if (!this.#member && through === this.#target) this.#join();
    if (events.length > 0) return { events, revision: through };
    // Let others run between two pages that have nothing for this reader.
    await new Promise((resolve) => setImmediate(resolve));
    return undefined;
  }

  async #reach(revision: number): Promise<void> {
    await this.#interruptible((signal) => this.#hub.history.reach?.(revision, signal));
    if (revision > this.#hub.published) throw new FutureRevision(revision, this.#hub.published);
  }

  #readPage(after: number): Promise<HistoryPage> {
    const { prefix, previous } = this;
    const through = this.#target;
    return this.#interruptible((signal) =>
      this.#hub.history.read({ prefix, after, through, previous, signal }),
    );
  }

  #join(): undefined {
    this.#hub.join(this);
    this.#member = true;
    this.#target = this.#hub.published;
  }

  /** Leaves the group: what is published from now on has to be read from history. */
  #leave(): void {
    if (this.#member) this.#hub.leave(this);
    this.#member = false;
    this.#queue = [];
    this.#queuedEvents = 0;
    this.#queuedBytes = 0;
  }

  #checkFloor(after: number): void {
    const { floor } = this.#hub.history;
    if (after < floor) throw new Compacted(after, floor);
  }

  /** Runs something slow; when the watch ends or fails meanwhile, aborts it and throws without waiting for it. */
  async #interruptible<Result>(run: (signal: AbortSignal) => Result | Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#wake = () => {
          controller.abort();
          reject(this.#failure ?? controller.signal.reason);
        };
        Promise.resolve(run(controller.signal)).then(resolve, reject);
      });
    } finally {
      this.#wake = undefined;
    }
  }

  /** Takes batches off the queue: several at once for a reader with a backlog, since each batch has its cost. */
  #take(): WatchBatch | undefined {
    let count = 0;
    let events = 0;
    let bytes = 0;
    for (const batch of this.#queue) {
      if (count > 0 && events >= maxEventsPerTake) break;
      count++;
      events += batch.events.length;
      bytes += batch.bytes;
    }
    const taken = this.#queue.splice(0, count);
    const last = taken.at(-1);
    if (last === undefined) return undefined;
    this.#queuedEvents -= events;
    this.#queuedBytes -= bytes;
    this.#handed = last.revision;
    return count === 1 ? last : { events: taken.flatMap((batch) => batch.events), revision: last.revision };
  }

  readonly #end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#leave();
    this.#hub.remove(this);
    this.#signal?.removeEventListener("abort", this.#end);
    this.#wake?.();
  };
}
