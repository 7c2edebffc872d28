import type { Clock } from "./clock.js";
import { formatDuration } from "./duration.js";

/** Something took longer than it may. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";

  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${formatDuration(milliseconds)} and was given up`);
  }
}

export interface TimeLimit {
  readonly clock: Clock;
  /** Milliseconds; without them there is no limit. */
  readonly limit?: number | undefined;
  /** What takes the time, for the error's text. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** An abort is handed on, but the work is given the time it needs to stop; the limit still holds. */
  readonly patient?: boolean | undefined;
}

/**
 * What the work returns, unless its time runs out or the signal aborts first: then its own signal aborts and this rejects
 * at once, also when the work does not heed the signal; what becomes of it after that is lost.
 *
 * @example
 * const answer = await within({ clock, limit: 5000, what: "asking the gateway" }, (signal) => ask(signal));
 */
export async function within<T>(
  { clock, limit, what, signal, patient = false }: TimeLimit,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> {
  if (limit === undefined && patient && signal !== undefined) return work(signal);
  signal?.throwIfAborted();
  const controller = new AbortController();
  let leave: (reason: unknown) => void = () => {};
  const left = new Promise<never>((_resolve, reject) => (leave = reject));
  const abort = (): void => {
    controller.abort(signal?.reason);
    if (!patient) leave(signal?.reason);
  };
  signal?.addEventListener("abort", abort, { once: true });
  const timer =
    limit === undefined
      ? undefined
      : clock.after(limit, () => {
          const error = new TimeLimitError(what, limit);
          controller.abort(error);
          leave(error);
        });
  try {
    return await Promise.race([work(controller.signal), left]);
  } finally {
    timer?.cancel();
    signal?.removeEventListener("abort", abort);
  }
}
