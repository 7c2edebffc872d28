import { onAbort } from "../../client/async/on-abort.js";
import type { Clock, Timer } from "../../model/core.js";

/** Milliseconds that a cancelled function is waited for. */
const grace = 5000;

export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: unknown;
      /** Set if the function ignores its signal; resolves when it has ended. */
      readonly lingering?: Promise<void> | undefined;
    };

/** Calls a function that should end when the signal aborts, and stops waiting for it soon after that. */
export function cancellable<T>(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T> | T,
): Promise<Settled<T>> {
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    let ended: () => void = () => {};
    const abandon = (): void => {
      const lingering = new Promise<void>((end) => (ended = end));
      timer = clock.after(grace, () => resolve({ ok: false, error: signal.reason, lingering }));
    };
    const forget = onAbort(signal, abandon);
    const settle = (end: Settled<T>): void => {
      forget();
      timer?.cancel();
      ended();
      resolve(end);
    };
    if (signal.aborted) abandon();
    try {
      Promise.resolve(work()).then(
        (value) => settle({ ok: true, value }),
        (error: unknown) => settle({ ok: false, error }),
      );
    } catch (error) {
      settle({ ok: false, error });
    }
  });
}
