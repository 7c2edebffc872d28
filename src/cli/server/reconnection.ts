import { ConnectionError } from "../../client/transport/transport.js";
import { isServiceUnavailable, isTooManyRequests, sleep, systemClock, type Clock } from "../../model/core.js";
import type { Terminal } from "../command/command.js";

const firstPause = 500;
const longestPause = 10_000;

interface ReconnectionOptions {
  readonly clock?: Clock | undefined;
  /** Called after a message was printed, for commands that redraw their output. */
  readonly onPrint?: (() => void) | undefined;
}

/**
 * Reconnects commands that follow a server until Ctrl-C. Prints once that the connection was lost, retries with growing
 * pauses, and prints when it is back.
 *
 *     connected ──lost()──► lost ──lost()──► lost …
 *         ▲                   │
 *         └──reconnected()────┘
 */
export class Reconnection {
  readonly #terminal: Pick<Terminal, "stderr" | "signal">;
  readonly #clock: Clock;
  readonly #onPrint: () => void;
  #pause = firstPause;
  #isLost = false;

  constructor(
    terminal: Pick<Terminal, "stderr" | "signal">,
    { clock = systemClock, onPrint = () => {} }: ReconnectionOptions = {},
  ) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#onPrint = onPrint;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Resolves when it is time to retry, or when the terminal's signal aborts. Without an error, the server has ended the
   * stream.
   *
   * @throws the error, when a retry would not help.
   */
  async lost(problem?: unknown): Promise<void> {
    const { signal } = this.#terminal;
    if (signal.aborted) return;
    if (problem !== undefined && !isReconnectable(problem)) throw problem;
    if (!this.#isLost) {
      const why = problem instanceof Error ? ` (${problem.message})` : "";
      this.#print(`connection to the server lost; reconnecting (Ctrl-C to stop)${why}`);
    }
    this.#isLost = true;
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, longestPause);
    await sleep(this.#clock, pause, signal).catch(() => {});
  }

  /** Records a successful response. */
  reconnected(): void {
    if (this.#isLost) this.#print("reconnected");
    this.#isLost = false;
    this.#pause = firstPause;
  }

  #print(text: string): void {
    this.#terminal.stderr.write(`fettle: ${text}\n`);
    this.#onPrint();
  }

  /**
   * Values of a stream that is reopened until the signal aborts. `open` continues where the last stream ended; `probe` checks
   * that the server responds, since a stream may stay silent.
   */
  async *resumed<T>(
    open: () => AsyncIterable<T>,
    probe: () => Promise<unknown>,
  ): AsyncGenerator<T, void, undefined> {
    const { signal } = this.#terminal;
    while (!signal.aborted) {
      try {
        if (this.#isLost) {
          await probe();
          this.reconnected();
        }
        yield* open();
        await this.lost();
      } catch (error) {
        await this.lost(error);
      }
    }
  }
}

/** True if a retry may succeed. */
export function isReconnectable(error: unknown): boolean {
  return error instanceof ConnectionError || isServiceUnavailable(error) || isTooManyRequests(error);
}
