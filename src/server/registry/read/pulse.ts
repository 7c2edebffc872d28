import type { Clock } from "../../../model/core.js";
import type { Watch, WatchBatch } from "../../../store/index.js";

/**
 * The batches of a watch, and at every interval a number: everything up to this revision has been handed out, also if
 * nothing has changed for long. Numbers and the revisions of batches never go back.
 */
export async function* withPulse(
  source: Watch,
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
  const beat = (): void => {
    due = true;
    wake();
    timer = clock.after(interval, beat);
  };
  let timer = clock.after(interval, beat);
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
        // What was taken out of the source a moment ago may still be on its way here, and belongs before the number.
        await turn();
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

/** Until everything that is ready to run has run. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
