import { ConnectionError } from "../../client/transport/transport.js";
import { asApiError, jitter, sleep, type Clock, type Random } from "../../model/core.js";

const first = 200;
const longest = 10_000;

export interface UntilAnsweredOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Called with each error that is retried. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends a request until it succeeds, for information without which nothing can start: a server that is being restarted must not
 * prevent a process from starting. Errors that are not transient are thrown.
 */
export async function untilAnswered<T>(
  request: () => Promise<T>,
  { clock, random, signal, onError }: UntilAnsweredOptions,
): Promise<T> {
  for (let wait = first; ; wait = Math.min(longest, wait * 2)) {
    try {
      return await request();
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error;
      onError(error);
    }
    await sleep(clock, jitter(random, wait, 1), signal);
  }
}

function isTransient(error: unknown): boolean {
  const code = asApiError(error)?.code ?? 0;
  return error instanceof ConnectionError || code === 429 || code >= 500;
}
