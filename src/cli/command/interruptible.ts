import { StartError, type Terminal } from "./command.js";

export interface SlowStep {
  /** Completes "while …": "loading sites.ts". */
  readonly doing: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Message of the error after the timeout. */
  readonly problem: string;
}

/**
 * Waits for a step of a start that may never end, such as code of the user. Ctrl-C and the timeout end the wait with a message;
 * the step itself goes on until the process exits.
 */
export function interruptible<T>(
  step: Promise<T>,
  { doing, timeout, problem }: SlowStep,
  { signal, stderr }: Pick<Terminal, "signal" | "stderr">,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StartError(problem)), timeout);
    const interrupt = (): void => {
      stderr.write(`Interrupted while ${doing}.\n`);
      reject(signal.reason);
    };
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    step.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", interrupt);
    });
  });
}
