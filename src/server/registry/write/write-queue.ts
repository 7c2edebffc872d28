import { failures, type Clock } from "../../../model/core.js";
import { RoundRobin } from "../../event-loop/round-robin.js";

/** Writes of one object that may wait; beyond it, 429. */
const maxWaiting = 1000;

/** Milliseconds after which a write of an object that others keep writing gives up. */
export const maxWriteTime = 30_000;

/** The parts of a write that decide when it runs. */
export interface QueuedWrite {
  readonly user: string;
  /** Ends the wait, for instance when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** Turn of a write, in which no other write of the object runs. */
export interface WriteTurn {
  /** Waits for work of others, such as a plugin. Other writes of the object run meanwhile; waits for another turn then. */
  leave<Result>(work: Promise<Result>): Promise<Result>;
}

/**
 * Lets writes of one object take turns. Each of them reads the object, computes its successor and commits it if nothing came in
 * between: side by side, all but one would do that in vain and start over. Users take turns, too.
 *
 * Invariant: `#waiting` has a key exactly while a write of it is in its turn.
 */
export class WriteQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, RoundRobin<() => void> | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a write when it is its turn.
   *
   * @throws {ApiError} 429 when too many wait, 504 when the wait takes too long; the signal's reason when it aborts.
   */
  async run<Result>(
    key: string,
    queued: QueuedWrite,
    write: (turn: WriteTurn) => Promise<Result>,
  ): Promise<Result> {
    await this.#enter(key, queued);
    let isInTurn = true;
    const end = (): void => {
      if (isInTurn) this.#next(key);
      isInTurn = false;
    };
    const leave = async <Other>(work: Promise<Other>): Promise<Other> => {
      end();
      const result = await work;
      await this.#enter(key, queued);
      isInTurn = true;
      return result;
    };
    try {
      return await write({ leave });
    } finally {
      end();
    }
  }

  /** Takes the turn; undefined if there is no need to wait for it. */
  #enter(key: string, queued: QueuedWrite): Promise<void> | undefined {
    if (this.#waiting.has(key)) return this.#turn(key, queued);
    this.#waiting.set(key, undefined);
    return undefined;
  }

  #turn(key: string, { user, signal }: QueuedWrite): Promise<void> {
    signal?.throwIfAborted();
    const waiting = this.#waiting.get(key) ?? new RoundRobin();
    this.#waiting.set(key, waiting);
    if (waiting.size >= maxWaiting) {
      throw failures.tooManyRequests(
        "Too many writes of this object are waiting, please try again later.",
        1,
      );
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        stop();
        resolve();
      };
      const leave = (error: unknown): void => {
        stop();
        waiting.delete(user, start);
        reject(error);
      };
      const abort = (): void => leave(signal?.reason);
      const timer = this.#clock.after(maxWriteTime, () =>
        leave(failures.timeout("other writes of this object took too long")),
      );
      const stop = (): void => {
        timer.cancel();
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort, { once: true });
      waiting.add(user, start);
    });
  }

  #next(key: string): void {
    const start = this.#waiting.get(key)?.shift();
    if (start === undefined) this.#waiting.delete(key);
    else start();
  }
}
