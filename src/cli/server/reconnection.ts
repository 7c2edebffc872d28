import { ConnectionError } from "../../client/transport/transport.js";
import { isServiceUnavailable, isTooManyRequests, sleep, systemClock, type Clock } from "../../model/core.js";
import type { Terminal } from "../command/command.js";

const firstPause = 500;
const longestPause = 10_000;

interface ReconnectionOptions {
  readonly clock?: Clock | undefined;
  /** Is told after something was said, for those who draw over what they drew. */
  readonly onSaid?: (() => void) | undefined;
}

/**
 * For commands that follow a server until Ctrl-C: when it goes away they say so once, try again with longer and longer pauses,
 * and say when it is back.
 *
 *     here ──lost()──► away ──lost()──► away …
 *       ▲                │
 *       └────back()──────┘
 */
export class Reconnection {
  readonly #terminal: Pick<Terminal, "stderr" | "signal">;
  readonly #clock: Clock;
  readonly #onSaid: () => void;
  #pause = firstPause;
  #isAway = false;

  constructor(
    terminal: Pick<Terminal, "stderr" | "signal">,
    { clock = systemClock, onSaid = () => {} }: ReconnectionOptions = {},
  ) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#onSaid = onSaid;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Resolves when it is time to try again, or the terminal's signal aborted. Without an error, the server has ended what was
   * followed.
   *
   * @throws the error, when trying again would not help.
   */
  async lost(problem?: unknown): Promise<void> {
    const { signal } = this.#terminal;
    if (signal.aborted) return;
    if (problem !== undefined && !isPassing(problem)) throw problem;
    if (!this.#isAway) {
      const why = problem instanceof Error ? ` (${problem.message})` : "";
      this.#say(`connection to the server lost; reconnecting (Ctrl-C to stop)${why}`);
    }
    this.#isAway = true;
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, longestPause);
    await sleep(this.#clock, pause, signal).catch(() => {});
  }

  /** The server has answered. */
  back(): void {
    if (this.#isAway) this.#say("reconnected");
    this.#isAway = false;
    this.#pause = firstPause;
  }

  #say(text: string): void {
    this.#terminal.stderr.write(`fettle: ${text}\n`);
    this.#onSaid();
  }

  /**
   * What a server tells, over as many streams as it takes until the signal aborts. `begin` opens a stream that goes on where
   * the last one ended; `probe` finds out whether the server is there, since a stream may be silent for long.
   */
  async *resumed<T>(
    begin: () => AsyncIterable<T>,
    probe: () => Promise<unknown>,
  ): AsyncGenerator<T, void, undefined> {
    const { signal } = this.#terminal;
    while (!signal.aborted) {
      try {
        if (this.#isAway) {
          await probe();
          this.back();
        }
        yield* begin();
        await this.lost();
      } catch (error) {
        await this.lost(error);
      }
    }
  }
}

/** Whether it may go better next time. */
export function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || isServiceUnavailable(error) || isTooManyRequests(error);
}
