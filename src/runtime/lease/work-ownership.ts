import type { CheckResult } from "../health/health.js";

/** A set of keys, as a predicate. */
export type Keys = (key: string) => boolean;

/**
 * Decides which keys (objects, schedules) this process may work on, among all processes that coordinate through the same
 * Lease. Leader election gives all keys to one process, sharding divides them.
 */
export interface WorkOwnership {
  /** Whether this process may work on anything right now, judged by the clock. */
  readonly isActive: boolean;
  /** Whether work on a key may begin in this process. */
  owns(key: string): boolean;
  /**
   * Throws unless work on a key that was begun here may go on. Call it before every write: a process that was suspended is
   * refused at once, and its work has been cancelled by the time this throws.
   */
  guard(key: string): void;
  /** Reports that work on some key has ended, so that a shard that only waited for it can be handed over. */
  workEnded(): void;
  /** Runs the work while this process owns keys, until the signal aborts; then releases everything. */
  work(work: OwnedWork, options: OwnershipOptions): Promise<void>;
  health(): CheckResult;
}

export interface OwnershipOptions {
  readonly signal: AbortSignal;
  /** Milliseconds that runs may take to end when the signal aborts, before they are cancelled. */
  readonly grace: number;
  /** Called when this process has started to work. */
  readonly onStarted: () => void;
}

/** Work on keys that a {@link WorkOwnership} starts and stops. */
export interface OwnedWork {
  /** Resolves when everything watched has been listed, and work has begun on the keys that are owned by then. */
  start(signal: AbortSignal): Promise<void>;
  /** Begins work on keys that became this process's after `start`. */
  gained(keys: Keys): void;
  /** Begins nothing more on these keys; runs may end. */
  release(keys: Keys): void;
  /** Cancels runs on these keys. */
  cancel(keys: Keys, reason: string): void;
  /** Keys with runs that have not ended. */
  running(): Iterable<string>;
  /** Stops everything; cancels runs that have not ended after `grace` milliseconds. */
  stop(grace: number, reason: string): Promise<void>;
}

/** One term of owning everything: starts the work, and stops it when the term ends. */
export async function workThrough(
  work: OwnedWork,
  term: AbortSignal,
  { signal, grace, onStarted }: OwnershipOptions,
): Promise<void> {
  try {
    await work.start(term);
    if (term.aborted) return;
    onStarted();
    await new Promise((resolve) => term.addEventListener("abort", resolve, { once: true }));
  } finally {
    // A process that has lost its Lease must stop before another one may start: it has no time for its runs to end.
    await (signal.aborted
      ? work.stop(grace, "the process stops")
      : work.stop(0, "this process is no longer the leader"));
  }
}

/** Ownership of everything by this process alone, whatever other processes do. */
export const soleOwnership: WorkOwnership = {
  isActive: true,
  owns: () => true,
  guard: () => {},
  workEnded: () => {},
  work: (work, options) => workThrough(work, options.signal, options),
  health: () => true,
};
