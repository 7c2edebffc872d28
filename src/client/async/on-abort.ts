const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal aborts; returns a function that cancels the callback. All callbacks of a signal share one
 * listener: a program may pass the same signal to a thousand calls, and Node warns of a leak at eleven listeners.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let all = callbacks.get(signal);
  if (all === undefined) {
    const own = new Set<() => void>();
    all = own;
    callbacks.set(signal, own);
    signal.addEventListener("abort", () => [...own].forEach((one) => one()), { once: true });
  }
  // A function that is registered twice is called twice.
  const one = all.has(callback) ? (): void => callback() : callback;
  all.add(one);
  return () => void all.delete(one);
}
