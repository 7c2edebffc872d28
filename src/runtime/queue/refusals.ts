import type { Unfinished } from "./queue-item.js";

/** Refuses what would leave a key half finished. */
export function checkOutcome(key: string, outcome: Unfinished<unknown>): void {
  if (outcome.type === "dead") return;
  finite(outcome.after ?? 0, "after", key);
  if (outcome.type === "again") finite(outcome.priority ?? 0, "priority", key);
}

export function notRunning(key: string): Error {
  return new Error(
    `${key} is not running as this work: call done once for each work, on the queue that it was taken from`,
  );
}

export function finite(value: number, what: string, key: string): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError(`${key} cannot be queued with ${what} ${value}: give a finite number`);
}

/** Refuses a limiter's delay that no key can wait for. */
export function checkDelay(key: string, delay: number): number {
  if (Number.isFinite(delay) && delay >= 0) return delay;
  throw new RangeError(
    `the limiter cannot let ${key} wait for ${delay}: it has to give a finite number of milliseconds, 0 or more`,
  );
}
