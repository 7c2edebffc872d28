import { asApiError } from "../../../model/core.js";
import type { Context } from "../context.js";
import type { Exchange } from "../exchange.js";
import { formOf } from "../answer/form.js";
import { watchOffer } from "../negotiate.js";
import { watchOptions } from "../request/options.js";
import type { ObjectEvent, Scope } from "../../registry/requests.js";
import type { ResourceType } from "../../resources/resource-type.js";
import { belongsInStream, failureFrame, pump, type Outlet } from "./events.js";
import { framerOf, type Framer } from "./frames.js";

/** What is watched. */
export interface WatchTarget {
  readonly type: ResourceType;
  readonly scope: Scope;
  /** Of the only object that is watched, where the path names one. */
  readonly name: string | undefined;
}

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
  context: Context,
  exchange: Exchange,
  { type, scope, name }: WatchTarget,
): Promise<OpenWatch> {
  const { registry, clock, watches, limits, onError } = context;
  const form = formOf(exchange, watchOffer);
  const frame = framerOf(type, form, exchange.query, clock);
  const { limit: _, continue: __, ...options } = watchOptions(exchange.query, name);
  // Spread out, so that not all who came at once come back at once.
  const fallback = Math.round((limits.watchTimeout / 1000) * (1 + Math.random()));
  const timeoutSeconds =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0 ? options.timeoutSeconds : fallback;

  const abort = new AbortController();
  const events = registry.watch(type, scope, { ...options, timeoutSeconds, signal: abort.signal });
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
