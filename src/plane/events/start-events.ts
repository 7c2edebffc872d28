import { createEvents, type RunningEvents } from "../../events/create-events.js";
import { defaultSource } from "../../events/create-event.js";
import type { EventSubscription } from "../../events/handler.js";
import type { EventLog } from "../../events/log/event-log.js";
import { EventNaming, type KindEvents } from "../../events/object/event-naming.js";
import { typeNames } from "../../events/types/type-names.js";
import type { DeliveryServices } from "../../events/bus/delivery.js";
import { duration, systemClock, within, type Clock, type Duration, type Random } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { Controller } from "../../runtime/controller/controller.js";
import type { Log } from "../../runtime/log/log.js";
import type { Run } from "../../runtime/runs/run.js";
import type { RunStore } from "../../runtime/runs/run-store.js";
import { byteSize } from "../runs/limits.js";

/** Options of events. */
export interface EventsOptions {
  /** Source of events, a URI reference that tells this control plane from others. Default: `/fettle`. */
  readonly source?: string | undefined;
  /** Types of the events about objects, by kind: made by `eventsOf()`. Default: `dev.demo.site.created` and so on. */
  readonly kinds?: readonly KindEvents[] | undefined;
  /** Time for which emitted events are kept. Default: 1h. */
  readonly ttl?: Duration | undefined;
  /** Largest event as JSON: bytes, or text such as `256Ki`. Default: 1 MiB. */
  readonly maxSize?: number | string | undefined;
  /** Events that may wait for one handler, before publishers wait. Default: 1,000. */
  readonly buffer?: number | undefined;
  /** Events that one handler handles at the same time. Default: 10. */
  readonly workers?: number | undefined;
}

const defaultEventTtl = "1h";
export const defaultMaxEventSize = "1Mi";
const { runFinished } = typeNames;

export interface StartEventsOptions {
  readonly options: EventsOptions;
  /** Creates the log. */
  readonly log: (options: {
    readonly naming: EventNaming;
    readonly source: string;
    readonly ttl: number;
  }) => EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Log;
  readonly onHandled?: DeliveryServices["onHandled"];
}

export function startEvents({
  options,
  log,
  clock,
  random,
  logger,
  onHandled,
}: StartEventsOptions): RunningEvents {
  const {
    source = defaultSource,
    kinds = [],
    ttl = defaultEventTtl,
    maxSize = defaultMaxEventSize,
  } = options;
  const { buffer, workers } = options;
  checkCount("events.buffer", buffer);
  checkCount("events.workers", workers);
  const naming = new EventNaming(kinds);
  return createEvents({
    log: log({ naming, source, ttl: duration(ttl) }),
    naming,
    source,
    maxSize: byteSize(maxSize),
    buffer,
    workers,
    clock,
    random,
    logger,
    onHandled,
  });
}

function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return;
  throw new RangeError(`${name} must be an integer from 1, not ${value}`);
}

/** Milliseconds to wait for the positions of subscriptions; a store that cannot be written keeps them waiting. */
const readyTimeout = 5000;

/** Starts subscriptions, and refuses two of one name. Resolves when they get all events from then on. */
export async function startSubscriptions(
  events: RunningEvents,
  subscriptions: readonly EventSubscription[],
  log: Log,
): Promise<void> {
  const ready = Promise.all(subscriptions.map((each) => events.subscribe(each).ready()));
  const limit = { clock: systemClock, limit: readyTimeout, what: "starting subscriptions" };
  await within(limit, () => ready).catch((error: unknown) => {
    log.warn({ err: error }, "subscriptions are not ready yet: the event log cannot be read or written");
  });
}

/** Emits the changes of pollers that controllers get their objects from. Returns a function that ends that. */
export function emitPolled(events: RunningEvents, controllers: readonly Controller[]): () => void {
  const ends: (() => void)[] = [];
  for (const { options } of controllers) {
    if (options.from !== undefined) ends.push(events.publishChanges(options.from, options.for));
  }
  return () => {
    for (const end of ends) end();
  };
}

/** Emits an event for every run that ends, while somebody subscribes to it. Returns a function that ends that. */
export function emitRuns(events: RunningEvents, runs: RunStore): () => void {
  return runs.follow((run) => {
    if (!events.hasSubscribers(runFinished)) return;
    events.emit(runEvent(run)).catch((error: unknown) => events.reportError("runs", error));
  });
}

/** The object is not at the top of the data, where it would be named for reconciliation. */
function runEvent({
  id,
  controller,
  apiVersion,
  kind,
  key,
  uid,
  duration,
  outcome,
  triggers,
  steps,
  writes,
  failures,
}: Run): EventInput {
  const slash = key.indexOf("/");
  return {
    id: `run-${id}`,
    type: runFinished,
    subject: `${kind}/${key}`,
    controller,
    data: {
      run: id,
      object: {
        apiVersion,
        kind,
        ...(slash >= 0 && { namespace: key.slice(0, slash) }),
        name: key.slice(slash + 1),
        uid,
      },
      outcome,
      durationMs: duration,
      failures,
      triggers: triggers.length,
      steps: steps.map((step) => ({ name: step.name, outcome: step.outcome })),
      writes: writes.length,
    },
  };
}

/** Options of events with the kinds of all operators; those of the options come last, and win. */
export function withOperatorKinds({
  events = {},
  operators = [],
}: {
  readonly events?: EventsOptions | undefined;
  readonly operators?: readonly { readonly events?: readonly KindEvents[] }[] | undefined;
}): EventsOptions {
  const kinds = operators.flatMap((operator) => operator.events ?? []);
  return { ...events, kinds: [...kinds, ...(events.kinds ?? [])] };
}
