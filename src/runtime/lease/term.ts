import { formatDuration, type Clock, type Timer } from "../../model/core.js";
import { longestSince, type Moment } from "./moment.js";

/** Error, or abort reason, of work that only the owner of a key may do. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";
}

interface TermHolder {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly renewDeadline: number;
  now(): Moment;
}

/**
 * One term of holding a Lease, from acquiring it to losing or releasing it.
 *
 * It **holds** until `renewDeadline` after the last request that renewed the Lease was sent. Others wait longer than that after they
 * read the renewal, which cannot be before it was sent: so it ends here before it can begin elsewhere, and clocks of different
 * machines are never compared. `stop` asks the work to end while the term still holds, so that it may finish; `lose` ends the
 * term and aborts the work; `end` is for work that has ended. A term that does not hold never holds again, even if a response
 * arrives late.
 *
 * Whether it holds is computed from the clock on each call. The timer only aborts the signal when nobody calls; a process that was
 * suspended would call before its timers fire.
 */
export class Term {
  readonly #holder: TermHolder;
  readonly #role: string;
  readonly #controller = new AbortController();
  #renewed: Moment;
  #over = false;
  #timer: Timer | undefined;

  /** A term that begins with a Lease whose request was sent at `renewed`; `role` names it in errors. */
  constructor(holder: TermHolder, renewed: Moment, role: string) {
    this.#holder = holder;
    this.#role = role;
    this.#renewed = renewed;
    this.#watch();
  }

  /** Aborts when the work has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get holds(): boolean {
    if (!this.#over && this.remaining <= 0) {
      const since = formatDuration(Math.max(0, longestSince(this.#renewed, this.#holder.now())));
      this.lose(`its lease was last renewed ${since} ago, and others may have it by now`);
    }
    return !this.#over;
  }

  /** Milliseconds until it no longer holds, unless it is renewed. */
  get remaining(): number {
    return this.#holder.renewDeadline - longestSince(this.#renewed, this.#holder.now());
  }

  /** Extends the term by a renewal whose request was sent at `started`; no effect if the term is over. */
  renew(started: Moment): void {
    if (this.holds) this.#renewed = started;
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  lose(why: string): void {
    this.end();
    this.#controller.abort(new NotLeaderError(`no longer ${this.#role}: ${why}`));
  }

  end(): void {
    this.#over = true;
    this.#timer?.cancel();
  }

  #watch(): void {
    // Timers may fire a little early, and renewals extend the term.
    const wait = Math.max(1, this.remaining);
    this.#timer = this.#holder.clock.after(wait, () => {
      if (this.holds) this.#watch();
    });
  }
}
