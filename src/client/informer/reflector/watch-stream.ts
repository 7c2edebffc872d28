import { type Clock, formatDuration, type Timer } from "../../../model/core.js";
import { untilAborted } from "../../async/until-aborted.js";

/** The server neither ended nor continued a stream in time: the connection counts as dead. */
export class SilentStream extends Error {
  override readonly name = "SilentStream";
}

/** Signal that aborts with another one, or after a deadline. */
export class StreamGuard {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #outer: AbortSignal;
  readonly #abort = (): void => this.#controller.abort(this.#outer.reason);
  #timer: Timer | undefined;

  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    if (outer.aborted) this.#abort();
    else outer.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Replaces the deadline. */
  expect(milliseconds: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(milliseconds, () => {
      const problem = `the server neither continued nor ended the watch within ${formatDuration(milliseconds)}`;
      this.#controller.abort(new SilentStream(problem));
    });
  }

  close(): void {
    this.#timer?.cancel();
    this.#outer.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }
}

/**
 * Values of a stream until it ends; throws the signal's reason when it aborts first. A stream that ignores the signal is
 * abandoned, not waited for.
 */
export async function* untilEnd<Batch>(
  stream: AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    iterator.return?.().catch(() => {});
  }
}
