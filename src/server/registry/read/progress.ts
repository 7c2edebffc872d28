import type { Clock } from "../../../model/core.js";
import type { StoreWatch, WatchBatch } from "../../../store/index.js";

/**
 * Yields the batches of a watch, and at every interval a revision up to which all batches have been yielded, also when
 * nothing changes. Revisions never decrease.
 */
export async function* withProgress(
  source: StoreWatch,
  clock: Clock,
  interval: number,
): AsyncGenerator<WatchBatch | number, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let arrived: Promise<IteratorResult<WatchBatch, unknown>> | undefined;
  let due = false;
  let wake = (): void => {};
  const pull = (): void => {
    arrived = undefined;
    const next = iterator.next();
    const arrive = (): void => {
      arrived = next;
      wake();
    };
    next.then(arrive, arrive);
  };
  const tick = (): void => {
    due = true;
    wake();
    timer = clock.after(interval, tick);
  };
  let timer = clock.after(interval, tick);
  try {
    pull();
    for (;;) {
      if (arrived !== undefined) {
        const { done, value } = await arrived;
        if (done) return;
        yield value;
        if (due) {
          due = false;
          yield value.revision;
        }
        pull();
      } else if (due) {
        const { revision } = source;
        // A batch that the source has just resolved may still be queued as a microtask, and comes before the revision.
        await nextTurn();
        if (arrived !== undefined) continue;
        due = false;
        yield revision;
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    timer.cancel();
    await iterator.return?.();
  }
}

/** Resolves in the next turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
