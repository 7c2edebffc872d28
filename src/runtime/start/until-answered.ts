import { ConnectionError } from "../../client/transport/transport.js";
import { asApiError, jitter, sleep, type Clock, type Random } from "../../model/core.js";

const first = 200;
const longest = 10_000;

export interface Patience {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Is told of each failure that is waited out. */
  readonly onError: (error: unknown) => void;
}

/**
 * Asks until there is an answer, for what has to be known before anything can begin: a server that is just being restarted
 * must not keep a process from its work for good. What it says no to will not change by asking again, and is thrown.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  { clock, random, signal, onError }: Patience,
): Promise<T> {
  for (let wait = first; ; wait = Math.min(longest, wait * 2)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      onError(error);
    }
    await sleep(clock, jitter(random, wait, 1), signal);
  }
}

function isPassing(error: unknown): boolean {
  const code = asApiError(error)?.code ?? 0;
  return error instanceof ConnectionError || code === 429 || code >= 500;
}
