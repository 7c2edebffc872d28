/** Unused controllers that are kept. */
const maxIdle = 256;

/**
 * Pool of the AbortControllers of runs. Making one, and listening to it, costs as much as the rest of a short run. Few runs are
 * cancelled, and few use their signal, so a controller whose signal was not exposed is used for the next run.
 */
export class RunSignals {
  readonly #idle: AbortController[] = [];

  take(): AbortController {
    return this.#idle.pop() ?? new AbortController();
  }

  /** Returns a controller to whose signal nobody listens. */
  giveBack(controller: AbortController): void {
    if (!controller.signal.aborted && this.#idle.length < maxIdle) this.#idle.push(controller);
  }
}
