import { sleep, type Clock } from "../../model/core.js";

/**
 * Keeps the process from exiting; returns a function that releases it. A clock's timers are unreferenced, and a call that
 * waits for its turn or for a retry has no open socket.
 */
export function keepProcessAlive(): () => void {
  const handle = setInterval(() => {}, 2 ** 31 - 1);
  return () => clearInterval(handle);
}

/** Sleeps without letting the process exit. */
export async function sleepKeepingAlive(
  clock: Clock,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const release = keepProcessAlive();
  try {
    await sleep(clock, milliseconds, signal);
  } finally {
    release();
  }
}
