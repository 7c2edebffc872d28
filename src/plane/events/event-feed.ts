import type { RunningEvents } from "../../events/create-events.js";
import { EventLogExpired, type LogPosition } from "../../events/log/event-log.js";
import { formatDuration, parseApiVersion, sleep, type Clock } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { objectNamedBy, type EventFeed, type NamedObject } from "../../runtime/controller/event-watch.js";
import { callListener } from "../../client/async/call-listener.js";
import type { Log } from "../../runtime/log/log.js";

const retryDelay = 1000;

type KindListener = (event: CloudEvent, object: NamedObject) => void;

export interface RunningEventFeed extends EventFeed {
  /** Calls back with emitted events of a type, from now on; the returned function ends that. */
  subscribeAppended(type: string, listener: (event: CloudEvent) => void): () => void;
  stop(): Promise<void>;
}

/**
 * Brings events to controllers. Events that name an object are read from the log, without those about changes of objects: for these,
 * controllers have watches of their own.
 */
export function eventFeed(
  events: RunningEvents,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): RunningEventFeed {
  const listeners = new Map<string, Set<KindListener>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let reading: Promise<void> | undefined;

  const byType = new Map<string, Set<(event: CloudEvent) => void>>();

  const deliver = (event: CloudEvent): void => {
    for (const listener of byType.get(event.type) ?? []) callListener("an event", () => listener(event));
    const object = event["polled"] === true ? undefined : objectNamedBy(event);
    if (object === undefined) return;
    const group = object.apiVersion === undefined ? undefined : parseApiVersion(object.apiVersion)?.group;
    for (const [key, each] of listeners) {
      const [ofGroup = "", kind] = key.split(" ");
      if (kind !== object.kind || (group !== undefined && group !== ofGroup)) continue;
      for (const listener of each) callListener("an event", () => listener(event, object));
    }
  };

  const read = async (): Promise<void> => {
    let from: LogPosition | undefined;
    while (!signal.aborted) {
      try {
        for await (const batch of events.log.follow({ from, only: "appended", signal })) {
          from = batch.position;
          for (const event of batch.events) deliver(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EventLogExpired) from = undefined;
        log.warn(
          { err: error },
          `events for controllers could not be read, next attempt in ${formatDuration(retryDelay)}`,
        );
        await sleep(clock, retryDelay, signal).catch(() => {});
      }
    }
  };

  return {
    subscribe(patterns, listener) {
      const active = events.subscribe(patterns, listener);
      return () => void active.stop();
    },
    subscribeKind({ apiVersion, kind }, listener) {
      const key = `${parseApiVersion(apiVersion)?.group ?? ""} ${kind}`;
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      reading ??= read();
      return () => void all.delete(listener);
    },
    subscribeAppended(type, listener) {
      const all = byType.get(type) ?? new Set();
      byType.set(type, all.add(listener));
      reading ??= read();
      return () => void all.delete(listener);
    },
    async stop() {
      stopping.abort(new Error("events stop"));
      await reading;
    },
  };
}
