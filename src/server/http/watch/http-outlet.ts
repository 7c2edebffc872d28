import type { Clock } from "../../../model/core.js";
import { drained } from "../response/send.js";
import { isDisconnected, isHttp2, type HttpResponse } from "../exchange.js";
import type { Frame } from "./frames.js";
import type { Outlet } from "./events.js";

/**
 * A watch over HTTP. On HTTP/1.1 frames go straight to the socket, as they are in the form of chunks already; the
 * response would put each into four pieces of its own.
 */
export function httpOutlet(response: HttpResponse, clock: Clock, stalledAfter: number): Outlet {
  const http2 = isHttp2(response);
  return {
    write(frames, size) {
      if (response.writableEnded || isDisconnected(response)) return false;
      const { socket } = response;
      // Without a socket an earlier answer on the same connection is still on its way (pipelining).
      const direct = !http2 && response.chunkedEncoding && socket !== null;
      const stream = direct ? socket : response;
      if (stream.write(joined(frames, size, direct ? "chunk" : "line"))) return true;
      return whenDrained(stream, response, clock, stalledAfter);
    },
  };
}

function joined(frames: readonly Frame[], size: number, part: keyof Frame): Buffer {
  const [only] = frames;
  if (frames.length === 1 && only !== undefined) return only[part];
  const buffer = Buffer.allocUnsafe(size);
  let offset = 0;
  for (const frame of frames) offset += frame[part].copy(buffer, offset);
  return offset === size ? buffer : buffer.subarray(0, offset);
}

/** A client that takes nothing for too long is gone, whatever its connection says. */
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
