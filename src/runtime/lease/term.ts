import { formatDuration, type Clock, type Timer } from "../../model/core.js";
import { longestSince, type Moment } from "./moment.js";

/** What is thrown, or aborted with, where only the leader may act. */
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
 * One stretch of leading, from taking the lease to losing or giving it up.
 *
 * It **holds** until `renewDeadline` after the start of the last request that renewed the lease. Others wait longer than
 * that from the moment they see the renewal, which cannot be before it was asked for: so it ends here before it can begin
 * elsewhere, and no clock is compared with another. `stop` asks the work to end while the term still holds, so that it may
 * finish; `lose` ends the term and aborts the work; `end` is for work that has ended. A term that does not hold never
 * holds again: a late answer does not bring it back.
 *
 * Whether it holds is worked out from the clock whenever somebody asks. The timer only sees to it that the signal aborts
 * when nobody asks; a process that was frozen would ask before its timers fire.
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

  /** Aborts when the work is to end, for whatever reason. */
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

  /** Prolongs the term by a renewal whose request was sent at `started`. Too late, it changes nothing. */
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
    // A timer of the platform may fire a little early, and renewals put the end off.
    const wait = Math.max(1, this.remaining);
    this.#timer = this.#holder.clock.after(wait, () => {
      if (this.holds) this.#watch();
    });
  }
}
