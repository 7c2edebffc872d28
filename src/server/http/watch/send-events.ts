import type { ObjectEvent } from "../../registry/requests.js";
import type { EncodedEvent, EventEncoder } from "./encode-event.js";

/** Bytes written to a connection before its backpressure is checked. */
const maxWriteSize = 256 * 1024;

/** Connection to which the events of a watch are written. */
export interface EventSink {
  /** Writes events. True when more can be written; false when the client disconnected. `size` is the sum of all chunks. */
  write(events: readonly EncodedEvent[], size: number): boolean | Promise<boolean>;
}

/**
 * Sends batches of events, and takes the next batch only when the connection can take more. A slow client thus slows down
 * no other; the registry ends its watch when it falls too far behind. `onSent` receives the number of events of each batch sent.
 */
export async function sendEvents(
  first: Promise<IteratorResult<readonly ObjectEvent[], unknown>>,
  iterator: AsyncIterator<readonly ObjectEvent[]>,
  encode: EventEncoder,
  sink: EventSink,
  onSent: (events: number) => void,
): Promise<void> {
  for (let next = first; ; next = iterator.next()) {
    const result = await next;
    if (result.done) return;
    const events = result.value;
    let encoded: EncodedEvent[] = [];
    let size = 0;
    for (const event of events) {
      const one = encode(event);
      encoded.push(one);
      size += one.chunk.length;
      if (size < maxWriteSize) continue;
      const written = sink.write(encoded, size);
      if (!(written === true || (await written))) return;
      encoded = [];
      size = 0;
    }
    if (encoded.length > 0) {
      const written = sink.write(encoded, size);
      if (!(written === true || (await written))) return;
    }
    onSent(events.length);
  }
}
