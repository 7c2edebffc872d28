import { duration, formatDuration, type Clock } from "../../../../model/core.js";
import type { Caller, OpenStream } from "../calls/caller.js";
import type { ApiRequest } from "../calls/request.js";
import type { Reading } from "../answers/objects.js";
import { ConnectionError, type WatchEvent, type WatchOptions } from "../../transport.js";
import { EventReader } from "./event-reader.js";

/** Servers send bookmarks about every minute; after so many without one, nobody is there any more. */
const longestSilence = duration("5m");
/** A server may take its time to end a watch whose time is over. */
const grace = duration("1m");

export interface Watching extends Reading {
  readonly caller: Caller;
  readonly clock: Clock;
  readonly request: ApiRequest;
  readonly options: WatchOptions;
}

/** Opens a watch and reads it to its end; however that comes, the connection is closed. */
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
    // An end that was asked for is no failure; to ask a transport that is closed is one.
    const wasClosed = caller.isClosed && stream !== undefined;
    if (signal?.aborted !== true && !wasClosed) throw error;
  } finally {
    stream?.close(new Error("the watch is over"));
  }
}

/** Undefined where the server has not promised to say anything. */
function allowedSilence({ allowWatchBookmarks, timeoutSeconds }: WatchOptions): number | undefined {
  if (allowWatchBookmarks === true) return longestSilence;
  return timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000 + grace;
}

/** Counts only while we wait, so that a slow reader on this side is not taken for a silent server. */
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
