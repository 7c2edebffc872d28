/** Registers a function that stops a part that has been started. */
export type OnStop = (stop: () => Promise<void>) => void;

export interface Stoppable extends AsyncDisposable {
  /** Stops all parts. A second call returns the same promise. */
  stop(): Promise<void>;
}

/**
 * Starts something that consists of several parts. They are stopped in the reverse order of their start: by `stop()`, or
 * when a later part fails to start. All are stopped even if one fails; the first error is thrown at the end.
 */
export async function startParts<T extends object>(
  start: (onStop: OnStop) => Promise<T>,
): Promise<T & Stoppable> {
  const stops: (() => Promise<void>)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopAll(stops.toReversed()));
  try {
    const parts = await start((each) => stops.push(each));
    return { ...parts, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

async function stopAll(stops: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stop of stops) await stop().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
