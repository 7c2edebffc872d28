import { statusOf } from "../../model/core.js";
import type { ExtensionResponse } from "../../server/index.js";
import { storeFailure } from "../../server/registry/store-failures.js";

/** Values buffered for a slow reader before its stream fails. */
const maxBuffered = 2000;

/**
 * Newline-delimited JSON. A failure is sent as the last line, since the status code has been sent by then.
 */
export function jsonLines(values: AsyncIterable<unknown>): ExtensionResponse {
  return { type: "application/x-ndjson", stream: encoded(values) };
}

async function* encoded(values: AsyncIterable<unknown>): AsyncGenerator<string, void, undefined> {
  try {
    for await (const value of values) yield `${JSON.stringify(value)}\n`;
  } catch (error) {
    yield `${JSON.stringify(statusOf(storeFailure(error)))}\n`;
  }
}

/** Ends a stream without an error when it fails because its reader has disconnected. */
export async function* untilDisconnected<T>(
  stream: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* stream;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Values of a subscription, buffered for a reader that may be slower; ends when the signal aborts. */
export async function* buffered<T>(
  subscribe: (push: (value: T) => void) => () => void,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const buffer: T[] = [];
  let isOverflown = false;
  let wake = (): void => {};
  const onAbort = (): void => wake();
  const unsubscribe = subscribe((value) => {
    if (buffer.length < maxBuffered) buffer.push(value);
    else isOverflown = true;
    wake();
  });
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      const next = buffer.shift();
      if (next !== undefined) yield next;
      else if (isOverflown)
        throw new Error(`the reader fell behind by more than ${maxBuffered} values; connect again`);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", onAbort);
  }
}
