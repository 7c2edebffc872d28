import { onAbort } from "./on-abort.js";

/** A promise that others wait for too, until the signal aborts: then it rejects with the signal's reason. */
export function untilAborted<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    const forget = onAbort(signal, abort);
    promise.then(resolve, reject).finally(forget);
  });
}
