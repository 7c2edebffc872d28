import type { Watch, WatchBatch } from "../store.js";
import type { History } from "./hub.js";

/** A batch on its way to live watchers, with what it counts against their buffers. */
export interface LiveBatch extends WatchBatch {
  readonly bytes: number;
  /** The revision published before this batch: who has handed out all earlier batches is complete up to it. */
  readonly since: number;
}

/**
 * The state of one watch.
 *
 * It is first **behind**: each read takes the next stretch of history, at the reader's own pace, and nothing is
 * buffered. When history is read to its end it becomes **live**: batches are queued as they are published, up
 * to the limits. It is **over** when it failed or its reader left; a failed feed has an empty queue.
 */
export interface WatchFeed {
  readonly prefix: string;
  readonly previous: boolean;
  readonly limits: { readonly events: number; readonly bytes: number };
  /** What is in the queue, counted; in lock-step with it. */
  readonly waiting: { events: number; bytes: number };
  readonly queue: LiveBatch[];
  /** Everything up to this revision has been handed to the reader. */
  handed: number;
  live: boolean;
  failure: Error | undefined;
  /** Continues a reader that waits for the queue to fill. */
  wake: (() => void) | undefined;
}

interface FeedControl {
  start(): void;
  catchUp(): WatchBatch | undefined;
  leave(): void;
  signal: AbortSignal | undefined;
}

/** A watch as its reader sees it. */
export function createWatch(feed: WatchFeed, history: History, control: FeedControl): Watch {
  const { signal } = control;
  let over = false;
  let started = false;

  const end = (): void => {
    over = true;
    control.leave();
    feed.queue.length = 0;
    signal?.removeEventListener("abort", end);
    feed.wake?.();
  };
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });

  const next = async (): Promise<IteratorResult<WatchBatch, undefined>> => {
    for (;;) {
      if (over) return { done: true, value: undefined };
      if (feed.failure) {
        end();
        throw feed.failure;
      }
      const batch = feed.live ? take(feed) : behind();
      if (batch) return { done: false, value: batch };
      if (feed.live) {
        await new Promise<void>((resolve) => (feed.wake = resolve));
        feed.wake = undefined;
      } else {
        // Between two stretches of history others get their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };

  const behind = (): WatchBatch | undefined => {
    try {
      if (!started) control.start();
      started = true;
      return control.catchUp();
    } catch (error) {
      end();
      throw error;
    }
  };

  return {
    get revision() {
      return feed.live && feed.queue.length === 0 ? history.revision() : feed.handed;
    },
    [Symbol.asyncIterator]: () => ({
      next,
      return: () => {
        end();
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

/** Who has fallen behind is handed about so many events at once: each batch costs its reader something. */
const mostTogether = 1000;

function take(feed: WatchFeed): WatchBatch | undefined {
  const { queue, waiting } = feed;
  let count = 0;
  let events = 0;
  while (count < queue.length && (count === 0 || events < mostTogether)) {
    events += queue[count]?.events.length ?? 0;
    count++;
  }
  const taken = queue.splice(0, count);
  const last = taken.at(-1);
  if (last === undefined) return undefined;
  for (const batch of taken) {
    waiting.events -= batch.events.length;
    waiting.bytes -= batch.bytes;
  }
  feed.handed = last.revision;
  return count === 1 ? last : { events: taken.flatMap((batch) => batch.events), revision: last.revision };
}
