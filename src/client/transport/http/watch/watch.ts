import { duration, formatDuration, type Clock } from "../../../../model/core.js";
import type { RequestSender, OpenStream } from "../calls/request-sender.js";
import type { OutgoingRequest } from "../calls/request.js";
import type { Reading } from "../responses/objects.js";
import { ConnectionError, type WatchEvent, type WatchOptions } from "../../transport.js";
import { EventReader } from "./event-reader.js";

/** Servers send bookmarks about every minute; after this many milliseconds of silence, the connection counts as dead. */
const longestSilence = duration("5m");
/** Milliseconds that a server may take to end a watch after its timeoutSeconds. */
const grace = duration("1m");

export interface WatchCall extends Reading {
  readonly sender: RequestSender;
  readonly clock: Clock;
  readonly request: OutgoingRequest;
  readonly options: WatchOptions;
}

/** Opens a watch, reads it to its end, and closes the connection. */
export async function* streamWatch({
  sender,
  clock,
  request,
  options,
  kind,
  metadataOnly,
}: WatchCall): AsyncGenerator<readonly WatchEvent[], void, undefined> {
  const { signal } = options;
  const silence = allowedSilence(options);
  const reader = new EventReader({ kind, metadataOnly });
  let stream: OpenStream | undefined;
  try {
    if (signal?.aborted === true) return;
    stream = await sender.open(request, signal);
    for (;;) {
      const chunks = await readWithin(stream, silence, clock, kind.plural);
      const { events, failure } = chunks === undefined ? reader.end() : reader.read(chunks);
      if (events.length > 0) yield events;
      if (failure !== undefined) throw failure;
      if (chunks === undefined) return;
    }
  } catch (error) {
    // An abort ends the watch without an error; a closed transport does not.
    const wasClosed = sender.isClosed && stream !== undefined;
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
