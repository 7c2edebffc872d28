import { failures, formatDuration, type Clock, type Timer } from "../../../../model/core.js";
import { onAbort } from "../../../async/on-abort.js";

/**
 * The time a call has. Its signal aborts, once, with the reason of whichever comes first: the caller's signal, the end of
 * the time (a 504 that says what the call was doing), or the end of the transport.
 */
export class CallTime {
  /** What is being waited for, for the message when the time is over. */
  doing = "";
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #forget: (() => void) | undefined;
  #isCounting = false;
  #timer: Timer | undefined;
  #endsAt = Infinity;

  constructor(clock: Clock, caller: AbortSignal | undefined) {
    this.#clock = clock;
    if (caller?.aborted === true) this.abort(caller.reason);
    else if (caller !== undefined) this.#forget = onAbort(caller, () => this.abort(caller.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds left. */
  get left(): number {
    return this.#endsAt - this.#clock.now();
  }

  /** Starts to count, unless it does so already; 0 is no limit. */
  limit(milliseconds: number): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    if (milliseconds === 0 || milliseconds === Infinity) return;
    this.#endsAt = this.#clock.now() + milliseconds;
    this.#timer = this.#clock.after(milliseconds, () => {
      this.abort(failures.timeout(`gave up after ${formatDuration(milliseconds)} of ${this.doing}`));
    });
  }

  /** No limit any more. */
  unlimited(): void {
    this.#timer?.cancel();
  }

  abort(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }

  /** The call is over. */
  end(): void {
    this.#timer?.cancel();
    this.#forget?.();
  }
}
