import { statusOf } from "../../model/core.js";
import type { ExtensionAnswer } from "../../server/index.js";
import { storeFailure } from "../../server/registry/store-failures.js";

/** How many values wait for a slow reader before it is let go. */
const mostWaiting = 2000;

/**
 * Values as a stream with one a line. A failure is its last line: the head has been sent by then, so there is no other place
 * for it.
 */
export function lines(values: AsyncIterable<unknown>): ExtensionAnswer {
  return { type: "application/x-ndjson", stream: written(values) };
}

async function* written(values: AsyncIterable<unknown>): AsyncGenerator<string, void, undefined> {
  try {
    for await (const value of values) yield `${JSON.stringify(value)}\n`;
  } catch (error) {
    yield `${JSON.stringify(statusOf(storeFailure(error)))}\n`;
  }
}

/** A stream that ends without a word when whoever reads it has gone. */
export async function* whileRead<T>(
  stream: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* stream;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** What others tell, one after the other, for a reader who may be slower; ends when the signal aborts. */
export async function* told<T>(
  subscribe: (tell: (value: T) => void) => () => void,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const waiting: T[] = [];
  let isLost = false;
  let wake = (): void => {};
  const ring = (): void => wake();
  const leave = subscribe((value) => {
    if (waiting.length < mostWaiting) waiting.push(value);
    else isLost = true;
    wake();
  });
  signal.addEventListener("abort", ring);
  try {
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isLost) throw new Error(`the reader fell behind by more than ${mostWaiting}; begin anew`);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    leave();
    signal.removeEventListener("abort", ring);
  }
}
