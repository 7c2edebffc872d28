/** How many are kept that nobody uses. */
const mostIdle = 256;

/**
 * What cancels runs. Making one, and listening to it, costs as much as the rest of a short run; but few runs are ever
 * cancelled, and few look at their signal. What nobody has seen is as good as new, and the next run has it.
 */
export class RunSignals {
  readonly #idle: AbortController[] = [];

  take(): AbortController {
    return this.#idle.pop() ?? new AbortController();
  }

  /** Takes one back to which nobody listens any more. */
  giveBack(controller: AbortController): void {
    if (!controller.signal.aborted && this.#idle.length < mostIdle) this.#idle.push(controller);
  }
}
