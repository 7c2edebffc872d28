import { setTimeout as pause } from "node:timers/promises";
import type { Store, StoreEvent } from "../../../store/index.js";

/** Milliseconds between checks of whether the watch has read history to the end. */
const pollInterval = 5;

export interface PastEventsOptions {
  readonly prefix: string;
  /** Exclusive. */
  readonly from: number;
  /** Inclusive; not greater than the revision of the store. */
  readonly until: number;
  readonly signal: AbortSignal;
}

/** Changes between two revisions. A watch does not report the end of history, so its revision is polled. */
export async function* pastEvents(
  store: Store,
  { prefix, from, until, signal }: PastEventsOptions,
): AsyncGenerator<StoreEvent, void, undefined> {
  if (from >= until) return;
  const ending = new AbortController();
  const watch = store.watch({
    prefix,
    from,
    previous: true,
    signal: AbortSignal.any([signal, ending.signal]),
  });
  const iterator = watch[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (let isRead = false; !isRead;) {
      // Read before the wait, so that a batch up to this revision has arrived after it.
      isRead = watch.revision >= until;
      const step = await Promise.race([next, pause(pollInterval)]);
      if (step === undefined) continue;
      if (step.done) return;
      for (const event of step.value.events) if (event.revision <= until) yield event;
      isRead = step.value.revision >= until;
      next = iterator.next();
      // The caller may stop iterating and never await it.
      next.catch(() => {});
    }
  } finally {
    ending.abort();
  }
}
