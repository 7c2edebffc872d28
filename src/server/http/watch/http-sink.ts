import type { Clock } from "../../../model/core.js";
import { drained } from "../response/send.js";
import { isDisconnected, isHttp2, type HttpResponse } from "../exchange.js";
import type { EncodedEvent } from "./encode-event.js";
import type { EventSink } from "./send-events.js";

/**
 * Writes a watch to an HTTP response. On HTTP/1.1, chunks are written directly to the socket: they are encoded already, and
 * `response.write` would make four writes of each.
 */
export function httpSink(response: HttpResponse, clock: Clock, stalledAfter: number): EventSink {
  const http2 = isHttp2(response);
  return {
    write(events, size) {
      if (response.writableEnded || isDisconnected(response)) return false;
      const { socket } = response;
      // The response has no socket while an earlier one on the same connection is being sent (pipelining).
      const direct = !http2 && response.chunkedEncoding && socket !== null;
      const stream = direct ? socket : response;
      if (stream.write(concat(events, size, direct ? "chunk" : "line"))) return true;
      return whenDrained(stream, response, clock, stalledAfter);
    },
  };
}

function concat(events: readonly EncodedEvent[], size: number, part: keyof EncodedEvent): Buffer {
  const [only] = events;
  if (events.length === 1 && only !== undefined) return only[part];
  const buffer = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const event of events) offset += event[part].copy(buffer, offset);
  return offset === size ? buffer : buffer.subarray(0, offset);
}

/** Waits for the client to read; disconnects it after `stalledAfter` milliseconds. */
async function whenDrained(
  stream: NodeJS.EventEmitter,
  response: HttpResponse,
  clock: Clock,
  stalledAfter: number,
): Promise<boolean> {
  const timer = clock.after(stalledAfter, () => response.destroy());
  try {
    return await drained(stream, isDisconnected(response));
  } finally {
    timer.cancel();
  }
}
