import type { Clock } from "./clock.js";
import { formatDuration } from "./duration.js";

/** Operation exceeded its time limit. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";

  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${formatDuration(milliseconds)} and was aborted`);
  }
}

export interface TimeLimit {
  readonly clock: Clock;
  /** Milliseconds; no limit by default. */
  readonly limit?: number | undefined;
  /** Name of the operation, for the error message. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /**
   * Forward an abort to the work, but wait for the work to stop instead of rejecting at once. The time limit
   * still applies.
   */
  readonly patient?: boolean | undefined;
}

/**
 * Runs `work` under a time limit. If the limit passes or the signal aborts, the work's own signal aborts and
 * this rejects at once, even if the work ignores its signal; the work's result is then discarded.
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
