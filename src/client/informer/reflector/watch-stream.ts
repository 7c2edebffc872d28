import { type Clock, formatDuration, type Timer } from "../../../model/core.js";
import { untilAborted } from "../../async/until-aborted.js";

/** The server should have ended a stream, or continued it, and did neither: the connection is dead, whatever it says. */
export class SilentStream extends Error {
  override readonly name = "SilentStream";
}

/** A signal that aborts with another one, and when what is expected does not come in time. */
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

  /** The stream has this long from now on, instead of what it had. */
  expect(milliseconds: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(milliseconds, () => {
      const late = `the server neither continued nor ended the watch within ${formatDuration(milliseconds)}`;
      this.#controller.abort(new SilentStream(late));
    });
  }

  close(): void {
    this.#timer?.cancel();
    this.#outer.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }
}

/**
 * What a stream gives until it ends; throws the signal's reason when that aborts first. Waits for nobody: a stream that
 * does not heed the signal is left behind.
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
