import { RoundRobin } from "./round-robin.js";

/** Milliseconds of expensive work in one turn of the event loop. Small, because one step may exceed what is left of it. */
const budget = 10;

/** Size in bytes above which an object is expensive: each step of reading or writing it takes a millisecond or more. */
export const expensiveBytes = 64 * 1024;

/** Time and event loop, which tests replace. */
interface TurnsOptions {
  readonly now?: () => number;
  readonly nextTurn?: (resume: () => void) => void;
}

/**
 * Shares the event loop between expensive work and everything else. Work that is expensive pauses between its steps: once a turn
 * has spent its budget, it goes on in a later turn, one piece of work per turn, and users take turns. Between two turns the event
 * loop receives and handles small requests, which never pause.
 */
export class EventLoopTurns {
  readonly #now: () => number;
  readonly #nextTurn: (resume: () => void) => void;
  readonly #waiting = new RoundRobin<() => void>();
  /** Start of expensive work in this turn; undefined if there was none. */
  #started: number | undefined;

  constructor({
    now = () => performance.now(),
    nextTurn = (resume) => void setImmediate(resume),
  }: TurnsOptions = {}) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /**
   * Waits for another turn if this one has spent its budget; undefined if it has not.
   *
   * @example
   * for (const object of objects) {
   *   await turns.pause(user.name);
   *   convert(object);
   * }
   */
  pause(user: string): Promise<void> | undefined {
    if (this.#started === undefined) {
      this.#started = this.#now();
      // The check phase of the event loop is followed by the poll phase, which reads all data received so far.
      this.#nextTurn(this.#begin);
      return undefined;
    }
    if (this.#now() - this.#started < budget) return undefined;
    return new Promise((resolve) => this.#waiting.add(user, resolve));
  }

  readonly #begin = (): void => {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#started = undefined;
      return;
    }
    this.#started = this.#now();
    this.#nextTurn(this.#begin);
    next();
  };
}

/** Turns of this thread's event loop, which everything in it shares. */
const turns = new EventLoopTurns();

/** Lets other requests be handled before the next step of expensive work; undefined if it can go on at once. */
export function pause(user: string): Promise<void> | undefined {
  return turns.pause(user);
}

/** Runs work that yields between its steps, and pauses there. */
export async function inTurns<Result>(user: string, steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause(user);
  }
}

/** {@link pause} before the next step with an object, if its size makes that expensive. */
export function pauseIfExpensive(user: string, bytes: number): Promise<void> | undefined {
  return bytes < expensiveBytes ? undefined : turns.pause(user);
}
