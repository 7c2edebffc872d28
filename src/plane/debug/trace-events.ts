import type { DeliveryServices } from "../../events/bus/delivery.js";
import type { EventLog, LogPosition } from "../../events/log/event-log.js";
import { sleep, type Clock } from "../../model/core.js";
import type { DebugSwitches } from "../../runtime/log/debug-switches.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import { messageOf } from "../../runtime/log/message-of.js";

const retryDelay = 1000;

/** Logs each call of a handler while `trace_events` of the component `control_loop` is on. */
export function traceHandlers(
  switches: DebugSwitches,
  parent: Log,
): NonNullable<DeliveryServices["onHandled"]> {
  const log = componentLog(parent);
  return (subscription, { id, type }, duration, error) => {
    if (!switches.isOn("trace_events")) return;
    const took = Math.round(duration * 100) / 100;
    const about = { subscription, event: id, type, took };
    if (error === undefined) log.info(about, "event handled");
    else log.info({ ...about, failure: messageOf(error) }, "handler failed");
  };
}

/** Logs every event while `trace_events` of the component `control_loop` is on. Returns a function that ends it. */
export function traceEvents(
  events: EventLog,
  { switches, clock, log }: { readonly switches: DebugSwitches; readonly clock: Clock; readonly log: Log },
): () => Promise<void> {
  let reading: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  const change = (): void => {
    const isOn = switches.isOn("trace_events");
    if (isOn === (reading !== undefined)) return;
    reading?.abort.abort();
    const abort = new AbortController();
    reading = isOn ? { abort, ended: trace(events, clock, componentLog(log), abort.signal) } : undefined;
  };
  const unsubscribe = switches.onChange(change);
  change();
  return async () => {
    unsubscribe();
    reading?.abort.abort();
    await reading?.ended;
  };
}

function componentLog(log: Log): Log {
  return lazyChild(log, () => ({ component: "control_loop" }));
}

async function trace(events: EventLog, clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
  let from: LogPosition | undefined;
  while (!signal.aborted) {
    try {
      for await (const batch of events.follow({ from, signal })) {
        for (const { id, type, subject, source, revision } of batch.events) {
          log.info({ event: id, type, subject, source, revision }, "event");
        }
        from = batch.position;
      }
    } catch (error) {
      if (signal.aborted) return;
      from = undefined;
      log.warn({ err: error }, "events cannot be traced; trying again");
    }
    await sleep(clock, retryDelay, signal).catch(() => {});
  }
}
