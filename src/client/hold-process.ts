import { sleep, type Clock } from "../model/core.js";

/**
 * Keeps the process from ending until released. A clock's timers do not, and a call that waits for its turn or for another
 * try has no socket that would.
 */
export function holdProcess(): () => void {
  const handle = setInterval(() => {}, 2 ** 31 - 1);
  return () => clearInterval(handle);
}

/** Sleeps, and keeps the process from ending meanwhile. */
export async function stay(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  const release = holdProcess();
  try {
    await sleep(clock, milliseconds, signal);
  } finally {
    release();
  }
}
