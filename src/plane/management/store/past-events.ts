import { setTimeout as pause } from "node:timers/promises";
import type { Store, WatchEvent } from "../../../store/index.js";

/** How long to wait before looking again whether history has been read to its end, in milliseconds. */
const patience = 5;

export interface Stretch {
  readonly prefix: string;
  /** Changes after this revision … */
  readonly from: number;
  /** … up to this one, which has happened. */
  readonly until: number;
  readonly signal: AbortSignal;
}

/**
 * The changes of a stretch of history. A watch tells only of changes, and whether there are more of them behind the last is
 * for its revision to say.
 */
export async function* pastEvents(
  store: Store,
  { prefix, from, until, signal }: Stretch,
): AsyncGenerator<WatchEvent, void, undefined> {
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
      // Looked up before the wait: a batch that belongs to it will have arrived by the end of it.
      isRead = watch.revision >= until;
      const step = await Promise.race([next, pause(patience)]);
      if (step === undefined) continue;
      if (step.done) return;
      for (const event of step.value.events) if (event.revision <= until) yield event;
      isRead = step.value.revision >= until;
      next = iterator.next();
      // Whoever leaves has no use for the failure of what it did not wait for.
      next.catch(() => {});
    }
  } finally {
    ending.abort();
  }
}
