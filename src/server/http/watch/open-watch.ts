import { asApiError, statusOf } from "../../../model/errors/api-error.js";
import type { HttpContext } from "../context.js";
import type { ObjectEvent } from "../../registry/requests.js";
import { PageNotFound } from "../../request/resolve.js";
import type { Exchange } from "../exchange.js";
import { HttpApiRequest, type RequestLine } from "../request/http-api-request.js";
import { encodeError, encoderFor, type EventEncoder } from "./encode-event.js";
import { sendEvents, type EventSink } from "./send-events.js";

/** An open watch. Either `run` or `cancel` must be called. */
export interface OpenWatch {
  /** Sends all events; resolves when the watch ends. Never rejects. */
  run(sink: EventSink): Promise<void>;
  /** Ends a watch that runs. */
  stop(): void;
  /** Closes a watch that was not run. */
  cancel(): Promise<void>;
}

const closedSink: EventSink = { write: () => false };

/**
 * Opens a watch. Throws if the request is invalid. Later errors, and the 410 for an expired resourceVersion, are sent as an ERROR
 * event in the stream.
 */
export async function openWatch(
  context: HttpContext,
  exchange: Exchange,
  line: RequestLine,
): Promise<OpenWatch> {
  const { pipeline, clock, watches, onError } = context;
  const abort = new AbortController();
  const request = new HttpApiRequest(context, exchange, { ...line, verb: "watch" as const }, abort.signal);
  const events = await pipeline.handle(request);
  if (line.type === undefined) throw new PageNotFound();
  const encode = encoderFor(line.type, request.form, exchange.query, clock);
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  try {
    await rejectionOrPending(first);
  } catch (error) {
    if (asApiError(error)?.code !== 410) throw error;
  }
  watches.set(abort, exchange);
  const { series } = exchange;
  if (series !== undefined) series.open++;
  const watch: OpenWatch = {
    stop: () => abort.abort(),
    cancel() {
      abort.abort();
      return watch.run(closedSink);
    },
    async run(sink) {
      try {
        await stream(first, iterator, encode, sink, (count) => {
          if (series !== undefined) series.events += count;
        });
      } catch (error) {
        onError(error);
      } finally {
        abort.abort();
        watches.delete(abort);
        if (series !== undefined) series.open--;
        void Promise.resolve(iterator.return?.()).catch(onError);
      }
    },
  };
  return watch;
}

/** Sends all events, and an ERROR event if the watch failed. */
async function stream(
  first: Promise<IteratorResult<readonly ObjectEvent[], unknown>>,
  iterator: AsyncIterator<readonly ObjectEvent[]>,
  encode: EventEncoder,
  sink: EventSink,
  onSent: (events: number) => void,
): Promise<void> {
  try {
    await sendEvents(first, iterator, encode, sink, onSent);
  } catch (error) {
    const failure = encodeError(statusOf(error));
    await sink.write([failure], failure.chunk.length);
    if (asApiError(error) === undefined) throw error;
  }
}

/** Rejects if `first` rejects within this turn of the event loop; resolves otherwise. */
function rejectionOrPending(first: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    first.then(() => resolve(), reject);
    setImmediate(resolve);
  });
}
