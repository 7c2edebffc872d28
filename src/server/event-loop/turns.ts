import { RoundRobin } from "./round-robin.js";

/** Milliseconds of expensive work in one turn of the event loop. Small, because one step may exceed what is left of it. */
const budget = 10;

/** Milliseconds that expensive work waits at most for connections to be accepted, so that a flood of them does not stop it. */
const maxAccepting = 100;

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
 *
 * Node reads all data that was received in one iteration of the event loop, but accepts one connection only. So a turn may have to
 * wait for several iterations: otherwise a new client would wait for a turn for each connection that was opened before its own.
 */
export class EventLoopTurns {
  readonly #now: () => number;
  readonly #nextTurn: (resume: () => void) => void;
  readonly #waiting = new RoundRobin<() => void>();
  /** Start of expensive work in this turn; undefined if there was none. */
  #started: number | undefined;
  /** A connection was accepted since the last iteration of the event loop. */
  #hasAccepted = false;
  /** Start of the wait for connections before the next turn. */
  #accepting: number | undefined;

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

  /** Notes a new connection, which others may be queued behind. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  readonly #begin = (): void => {
    if (this.#hasAccepted) {
      this.#hasAccepted = false;
      const now = this.#now();
      this.#accepting ??= now;
      if (now - this.#accepting < maxAccepting) {
        this.#nextTurn(this.#begin);
        return;
      }
    }
    this.#accepting = undefined;
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

/** Lets the next turn of expensive work wait until no more connections are queued. Called for each new one. */
export function connectionAccepted(): void {
  turns.accepted();
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
