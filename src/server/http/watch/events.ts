import { asApiError, statusOf } from "../../../model/errors/api-error.js";
import type { ObjectEvent } from "../../registry/requests.js";
import { errorFrame, type Frame, type Framer } from "./frames.js";

/** How much is handed to a connection before it is asked whether it can take more. */
const pieceSize = 256 * 1024;

/** Where frames go. */
export interface Outlet {
  /** Sends frames; resolves when more can be taken, to false when nobody listens any more. */
  write(frames: readonly Frame[], size: number): boolean | Promise<boolean>;
}

/** Ends a watch whose events have begun: what is wrong is told inside the stream. */
export function failureFrame(error: unknown): Frame {
  return errorFrame(statusOf(error));
}

/** Whether a failure is one that clients expect inside the stream even when nothing was sent before it. */
export function belongsInStream(error: unknown): boolean {
  return asApiError(error)?.code === 410;
}

/**
 * Sends batches as they come, asking for the next only when the connection can take it: one that reads slowly slows
 * down nobody but itself, and is ended by the registry when it falls too far behind. Returns how many were sent.
 */
export async function pump(
  first: Promise<IteratorResult<readonly ObjectEvent[], unknown>>,
  iterator: AsyncIterator<readonly ObjectEvent[]>,
  frame: Framer,
  outlet: Outlet,
  sent: (events: number) => void,
): Promise<void> {
  for (let next = first; ; next = iterator.next()) {
    const result = await next;
    if (result.done) return;
    const events = result.value;
    let frames: Frame[] = [];
    let size = 0;
    for (const event of events) {
      const one = frame(event);
      frames.push(one);
      size += one.chunk.length;
      if (size < pieceSize) continue;
      const taken = outlet.write(frames, size);
      if (!(taken === true || (await taken))) return;
      frames = [];
      size = 0;
    }
    if (frames.length > 0) {
      const taken = outlet.write(frames, size);
      if (!(taken === true || (await taken))) return;
    }
    sent(events.length);
  }
}
