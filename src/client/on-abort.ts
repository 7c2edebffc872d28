const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal aborts; returns what calls that off. One signal often stands for a thousand calls (all of a
 * program's), and Node warns of a leak at eleven listeners: here they share one.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let all = callbacks.get(signal);
  if (all === undefined) {
    const own = new Set<() => void>();
    all = own;
    callbacks.set(signal, own);
    signal.addEventListener("abort", () => [...own].forEach((one) => one()), { once: true });
  }
  // The same function given twice is called twice.
  const one = all.has(callback) ? (): void => callback() : callback;
  all.add(one);
  return () => void all.delete(one);
}
