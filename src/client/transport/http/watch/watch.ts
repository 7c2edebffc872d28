import { duration, formatDuration, type Clock } from "../../../../model/core.js";
import type { Caller, OpenStream } from "../calls/caller.js";
import type { HttpRequest } from "../calls/request.js";
import type { Reading } from "../responses/objects.js";
import { ConnectionError, type WatchEvent, type WatchOptions } from "../../transport.js";
import { EventReader } from "./event-reader.js";

/** Servers send bookmarks about every minute; after this many milliseconds of silence, the connection counts as dead. */
const longestSilence = duration("5m");
/** Milliseconds that a server may take to end a watch after its timeoutSeconds. */
const grace = duration("1m");

export interface Watching extends Reading {
  readonly caller: Caller;
  readonly clock: Clock;
  readonly request: HttpRequest;
  readonly options: WatchOptions;
}

/** Opens a watch, reads it to its end, and closes the connection. */
export async function* watch({
  caller,
  clock,
  request,
  options,
  kind,
  metadataOnly,
}: Watching): AsyncGenerator<readonly WatchEvent[], void, undefined> {
  const { signal } = options;
  const silence = allowedSilence(options);
  const reader = new EventReader({ kind, metadataOnly });
  let stream: OpenStream | undefined;
  try {
    if (signal?.aborted === true) return;
    stream = await caller.open(request, signal);
    for (;;) {
      const chunks = await readWithin(stream, silence, clock, kind.plural);
      const { events, failure } = chunks === undefined ? reader.end() : reader.read(chunks);
      if (events.length > 0) yield events;
      if (failure !== undefined) throw failure;
      if (chunks === undefined) return;
    }
  } catch (error) {
    // An abort ends the watch without an error; a closed transport does not.
    const wasClosed = caller.isClosed && stream !== undefined;
    if (signal?.aborted !== true && !wasClosed) throw error;
  } finally {
    stream?.close(new Error("the watch has ended"));
  }
}

/** Undefined for a watch without bookmarks and timeout. */
function allowedSilence({ allowWatchBookmarks, timeoutSeconds }: WatchOptions): number | undefined {
  if (allowWatchBookmarks === true) return longestSilence;
  return timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000 + grace;
}

/** Applies only while waiting for the server, so that a slow consumer does not count as a silent server. */
async function readWithin(
  stream: OpenStream,
  silence: number | undefined,
  clock: Clock,
  plural: string,
): Promise<readonly Buffer[] | undefined> {
  if (silence === undefined) return stream.read();
  const timer = clock.after(silence, () => {
    const message = `the watch of ${plural} has been silent for ${formatDuration(silence)}: the connection is dead`;
    stream.close(new ConnectionError(message));
  });
  try {
    return await stream.read();
  } finally {
    timer.cancel();
  }
}
