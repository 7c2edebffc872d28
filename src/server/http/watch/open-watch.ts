import { asApiError } from "../../../model/core.js";
import type { HttpContext } from "../context.js";
import type { ObjectEvent } from "../../registry/requests.js";
import { PageNotFound } from "../../request/resolve.js";
import type { Exchange } from "../exchange.js";
import { HttpApiRequest, type RequestLine } from "../request/http-api-request.js";
import { belongsInStream, failureFrame, pump, type Outlet } from "./events.js";
import { framerOf, type Framer } from "./frames.js";

/** A watch that has begun, or will as soon as there is something to tell. */
export interface OpenWatch {
  /** Sends all events; resolves when there will be no more. Never rejects. */
  run(outlet: Outlet): Promise<void>;
  /** Ends it from this side while it runs. */
  stop(): void;
  /** Ends it in place of running it. */
  cancel(): Promise<void>;
}

const nowhere: Outlet = { write: () => false };

/**
 * Begins a watch. Throws what is wrong with the request itself; all later failures, and a version that is too old,
 * are told inside the stream.
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
  const frame = framerOf(line.type, request.form, exchange.query, clock);
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  try {
    await settledOrWaiting(first);
  } catch (error) {
    if (!belongsInStream(error)) throw error;
  }
  watches.add(abort);
  const { series } = exchange;
  if (series !== undefined) series.open++;
  const watch: OpenWatch = {
    stop: () => abort.abort(),
    cancel() {
      abort.abort();
      return watch.run(nowhere);
    },
    async run(outlet) {
      try {
        await stream(first, iterator, frame, outlet, (count) => {
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

/** All events, and as the last one what ended them if that was a failure. */
async function stream(
  first: Promise<IteratorResult<readonly ObjectEvent[], unknown>>,
  iterator: AsyncIterator<readonly ObjectEvent[]>,
  frame: Framer,
  outlet: Outlet,
  sent: (events: number) => void,
): Promise<void> {
  try {
    await pump(first, iterator, frame, outlet, sent);
  } catch (error) {
    const failure = failureFrame(error);
    await outlet.write([failure], failure.chunk.length);
    if (asApiError(error) === undefined) throw error;
  }
}

/** Rejects when `first` does so at once; resolves when it has come or lets wait for it. */
function settledOrWaiting(first: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    first.then(() => resolve(), reject);
    setImmediate(resolve);
  });
}
