export interface DrainOptions<Progress> {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Runs steps to their end, with turns of the event loop in between. */
export async function drain<Progress, Result>(
  steps: Generator<Progress, Result>,
  { signal, onProgress = () => {} }: DrainOptions<Progress> = {},
): Promise<Result> {
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      onProgress(step.value);
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    }
  } finally {
    // When it was aborted, this runs the `finally` blocks of the steps.
    steps.return(undefined as never);
  }
}
