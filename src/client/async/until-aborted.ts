import { onAbort } from "./on-abort.js";

/**
 * Waits for a promise; rejects with the signal's reason once the signal aborts. The promise itself goes on: other
 * callers may wait for it too.
 */
export function untilAborted<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    const cancel = onAbort(signal, abort);
    promise.then(resolve, reject).finally(cancel);
  });
}
