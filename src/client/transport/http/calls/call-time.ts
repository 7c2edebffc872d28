import { failures, formatDuration, type Clock, type Timer } from "../../../../model/core.js";
import { onAbort } from "../../../async/on-abort.js";

/**
 * Timeout and cancellation of a call. Its signal aborts once, with the first of: the caller's abort reason, a 504 that names
 * the pending operation, or the close of the transport.
 */
export class CallTime {
  /** Pending operation, for the message of the timeout. */
  doing = "";
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #cancel: (() => void) | undefined;
  #isCounting = false;
  #timer: Timer | undefined;
  #endsAt = Infinity;

  constructor(clock: Clock, caller: AbortSignal | undefined) {
    this.#clock = clock;
    if (caller?.aborted === true) this.abort(caller.reason);
    else if (caller !== undefined) this.#cancel = onAbort(caller, () => this.abort(caller.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds left. */
  get left(): number {
    return this.#endsAt - this.#clock.now();
  }

  /** Starts the timeout, unless one has been started; 0 for none. */
  limit(milliseconds: number): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    if (milliseconds === 0 || milliseconds === Infinity) return;
    this.#endsAt = this.#clock.now() + milliseconds;
    this.#timer = this.#clock.after(milliseconds, () => {
      this.abort(failures.timeout(`gave up after ${formatDuration(milliseconds)} of ${this.doing}`));
    });
  }

  /** Cancels the timeout. */
  unlimited(): void {
    this.#timer?.cancel();
  }

  abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }

  /** Releases the timer and the listener. */
  end(): void {
    this.#timer?.cancel();
    this.#cancel?.();
  }
}
