import { onAbort } from "../../client/on-abort.js";
import type { Clock, Timer } from "../../model/core.js";

/** How long a function may go on after it was cancelled before it is left to itself. */
const grace = 5000;

export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly error: unknown;
      /** The function goes on although it was cancelled; resolves when it has ended. */
      readonly lingering?: Promise<void> | undefined;
    };

/** Runs a function that should end when the signal fires, and does not wait much longer for one that does not. */
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
