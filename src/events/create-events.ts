import { formatDuration, sleep, type Clock, type Random } from "../model/core.js";
import type { Source } from "../client/source/source.js";
import type { CloudEvent, EventInput } from "../model/cloud-events/cloud-event.js";
import { PatternIndex } from "../model/cloud-events/pattern-index.js";
import type { Log } from "../runtime/log/log.js";
import { messageOf } from "../runtime/log/message-of.js";
import { defaultBuffer, defaultWorkers, eventBus, type EventBus } from "./bus/event-bus.js";
import { DurableSubscription } from "./bus/durable-subscription.js";
import type { DeliveryServices } from "./bus/delivery.js";
import { causedBy, createEvent, cycleError, EventCycleError, InvalidEvent, maxHops } from "./create-event.js";
import type { ActiveSubscription, Events, SubscriptionState } from "./events.js";
import type { EventSubscription } from "./handler.js";
import { EventLogExpired, type DeadEvent, type EventLog, type LogPosition } from "./log/event-log.js";
import type { EventNaming } from "./object/event-naming.js";
import { objectEvents } from "./object/object-events.js";
import { typeNames } from "./types/type-names.js";
import { subscription, type SubscriptionDescription } from "./subscription.js";

export interface CreateEventsOptions {
  readonly log: EventLog;
  readonly naming: EventNaming;
  /** Source of emitted events that have none. */
  readonly source: string;
  /** Largest event as JSON, in bytes. */
  readonly maxSize: number;
  readonly buffer?: number | undefined;
  readonly workers?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Log;
  readonly onHandled?: DeliveryServices["onHandled"];
}

/** Type of events about failed handlers and other problems of the system. */
const { systemError } = typeNames;

/** Milliseconds between two system errors of the same component and reason; those in between are counted. */
const errorInterval = 10_000;
const feedRetryDelay = 1000;

/** Events on a log. Stop it before the log is closed. */
export interface RunningEvents extends Events {
  /** Emits several events at once. Those that close a cycle are reported instead. */
  emitAll(events: readonly EventInput[]): Promise<void>;
  /** Whether anybody would get events of a type, so that they need not be made otherwise. */
  hasSubscribers(type: string): boolean;
  /** Counts readers of the log among those of {@link hasSubscribers}, by their patterns, which may change. */
  noteReaders(patterns: PatternIndex<unknown>): void;
  /** Reports a problem as a `system.error` event. Never throws; the same problem is reported every 10 s at most. */
  reportError(component: string, error: unknown, details?: Readonly<Record<string, unknown>>): void;
  /** Number of events that wait for handlers. */
  readonly queueSize: number;
  /** Resolves when all events emitted so far have been handled by subscriptions that are not durable. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function createEvents(options: CreateEventsOptions): RunningEvents {
  return new LoggedEvents(options);
}

/** Attributes of an event that was caused by another one. */
type ChainedEvent = Pick<CloudEvent, "hops" | "cause"> & { readonly type: string };

/** A dead letter that is delivered again. */
interface Redelivery {
  readonly letter: DeadEvent;
  /** True if it became a dead letter again. */
  hasFailed: boolean;
}

class LoggedEvents implements RunningEvents {
  readonly log: EventLog;
  readonly #options: CreateEventsOptions;
  readonly #services: DeliveryServices;
  /** Subscriptions that are not durable; the feed publishes to it. */
  readonly #bus: EventBus;
  readonly #durable = new Map<string, DurableSubscription>();
  /** Patterns of durable subscriptions and of readers of `follow`. */
  readonly #otherPatterns = new PatternIndex<object>();
  readonly #readers: PatternIndex<unknown>[] = [];
  readonly #stopping = new AbortController();
  readonly #reported = new Map<string, { at: number; suppressed: number }>();
  readonly #pending = new Set<Promise<unknown>>();
  /** Dead letters that are being delivered again, by the id of their event. */
  readonly #redelivered = new Map<string, Redelivery>();
  /** Number of changes of sources that were published. */
  #published = 0;
  #feed: Promise<void> | undefined;
  /** Position up to which the feed has published; undefined until it has started. */
  #fed: LogPosition | undefined;
  readonly #feedWaiters: (() => void)[] = [];

  constructor(options: CreateEventsOptions) {
    const { log, clock, logger } = options;
    this.log = log;
    this.#options = options;
    this.#services = {
      clock,
      log: logger,
      emit: (event, cause) => this.#emitBecause(event, cause),
      onDead: (letter) => this.#bury(letter),
      onHandled: options.onHandled,
    };
    const { buffer, workers } = options;
    this.#bus = eventBus({ buffer, workers, ...this.#services, onDead: (letter) => this.#bury(letter) });
  }

  get queueSize(): number {
    let size = this.#bus.size;
    for (const { delivery } of this.#durable.values()) size += delivery.waiting;
    return size;
  }

  async emit<T>(input: EventInput<T>): Promise<CloudEvent<T>> {
    const event = this.#create(input);
    await this.log.append([event]);
    return event;
  }

  async emitAll(inputs: readonly EventInput[]): Promise<void> {
    const events: CloudEvent[] = [];
    for (const input of inputs) {
      const event = this.#create(input);
      if ((event.hops ?? 0) > maxHops) this.#reportCycle(cycleError(event), event);
      else events.push(event);
    }
    if (events.length > 0) await this.log.append(events);
  }

  #create<T>(input: EventInput<T>): CloudEvent<T> {
    const { source, clock, random, maxSize } = this.#options;
    const event = createEvent(input, { source, clock, random });
    const size = sizeOf(event);
    if (size > maxSize) {
      throw new InvalidEvent(
        `${event.type} has ${size} bytes; at most ${maxSize} are allowed: put a reference into data`,
      );
    }
    return event;
  }

  hasSubscribers(type: string): boolean {
    if (this.#bus.hasSubscribers(type) || this.#otherPatterns.match(type).length > 0) return true;
    return this.#readers.some((patterns) => patterns.match(type).length > 0);
  }

  noteReaders(patterns: PatternIndex<unknown>): void {
    this.#readers.push(patterns);
  }

  subscribe(
    first: string | readonly string[] | SubscriptionDescription | EventSubscription,
    handle?: EventSubscription["handle"],
  ): ActiveSubscription {
    if (this.#stopping.signal.aborted) throw new Error("events have been stopped");
    if (typeof first === "string" || isList(first)) {
      if (handle === undefined) throw new TypeError("subscribe(pattern, handler) needs a handler");
      return this.#subscribeLive(this.#bus.subscribe(first, handle));
    }
    const added = subscription(first);
    if (this.#states().some(({ name }) => name === added.name)) {
      throw new Error(`there is a subscription ${added.name} already: give each its own name`);
    }
    if (!added.durable) {
      return this.#subscribeLive(this.#bus.subscribe(added));
    }
    const { buffer: capacity = defaultBuffer, workers = defaultWorkers } = this.#options;
    const durable = new DurableSubscription(added, this.log, this.#services, { capacity, workers });
    this.#durable.set(added.name, durable);
    for (const pattern of added.on) this.#otherPatterns.add(pattern, durable);
    return {
      name: added.name,
      state: () => durable.state(),
      ready: () => durable.ready(),
      stop: async (grace) => {
        for (const pattern of added.on) this.#otherPatterns.delete(pattern, durable);
        this.#durable.delete(added.name);
        await durable.stop(grace);
      },
    };
  }

  async *follow(
    on: string | readonly string[],
    { from, signal }: { readonly from?: LogPosition | undefined; readonly signal: AbortSignal },
  ): AsyncGenerator<CloudEvent, void, undefined> {
    const patterns = new PatternIndex<object>();
    const reader = {};
    const all = typeof on === "string" ? [on] : on;
    for (const pattern of all) {
      patterns.add(pattern, reader);
      this.#otherPatterns.add(pattern, reader);
    }
    const stop = AbortSignal.any([signal, this.#stopping.signal]);
    try {
      for await (const { events } of this.log.follow({ from, patterns, signal: stop })) yield* events;
    } finally {
      for (const pattern of all) this.#otherPatterns.delete(pattern, reader);
    }
  }

  publishChanges(source: Source, { plural }: { readonly plural: string }): () => void {
    const { naming, source: from, clock } = this.#options;
    const subscribed = source.subscribe(({ type, object, old, initial }) => {
      if (initial) return;
      const isDeleted = type === "DELETED";
      const now = clock.now();
      const versions = {
        now: isDeleted ? undefined : object,
        old: isDeleted ? object : old,
        // The objects may have no versions, and may go back to an earlier state.
        revision: `${now}-${++this.#published}`,
      };
      const events = objectEvents(versions, { naming, source: from, plural, now });
      this.#track(
        this.emitAll(events.map(asPolled)).catch((error: unknown) => this.reportError("poller", error)),
      );
    });
    return () => subscribed.release();
  }

  subscriptions(): readonly SubscriptionState[] {
    return this.#states();
  }

  dead(): Promise<readonly DeadEvent[]> {
    return this.log.readDead();
  }

  async retry(name: string, id?: string): Promise<number> {
    const durable = this.#durable.get(name);
    const live = this.#bus.subscriptions.find((each) => each.name === name);
    if (durable === undefined && live === undefined) {
      const names = this.#states().map((each) => each.name);
      throw new RangeError(`there is no subscription ${name}: there are ${names.join(", ") || "none"}`);
    }
    const letters = (await this.log.readDead()).filter(
      ({ subscription, event }) => subscription === name && (id === undefined || event.id === id),
    );
    for (const letter of letters) {
      const retried: Redelivery = { letter, hasFailed: false };
      this.#redelivered.set(letter.event.id, retried);
      const settled = (): void => this.#endRedelivery(retried);
      if (durable === undefined) await this.#bus.redeliver(name, letter.event, settled);
      else await durable.delivery.offer(letter.event, settled);
    }
    return letters.length;
  }

  /** Deletes a dead letter when its event was handled, so that it is not lost if the process is killed meanwhile. */
  #endRedelivery(retried: Redelivery): void {
    const { letter, hasFailed } = retried;
    const { id } = letter.event;
    if (this.#redelivered.get(id) === retried) this.#redelivered.delete(id);
    if (hasFailed) return;
    const deleted = this.log.deleteDead(letter).catch((error: unknown) => {
      this.#options.logger.warn(
        { err: error, event: id },
        "a dead letter that was handled could not be deleted",
      );
    });
    this.#track(deleted);
  }

  reportError(component: string, error: unknown, details: Readonly<Record<string, unknown>> = {}): void {
    this.#report(component, error, details);
  }

  /** Reports that an event was not emitted. If an earlier report was the cause, another one would begin the cycle again. */
  #reportCycle(error: EventCycleError, { type, hops = 0, cause }: ChainedEvent): void {
    if (hops <= maxHops + 1) this.#report("events", error, { type, cause }, { hops, cause });
    else this.#options.logger.warn({ type, cause }, error.message);
  }

  /** `chain` continues the chain of events that led to the problem: a handler of system errors may be part of a cycle. */
  #report(
    component: string,
    error: unknown,
    details: Readonly<Record<string, unknown>>,
    chain: Pick<ChainedEvent, "hops" | "cause"> = {},
  ): void {
    const { clock, logger } = this.#options;
    const message = messageOf(error);
    const key = `${component} ${message}`;
    const now = clock.now();
    const last = this.#reported.get(key);
    if (last !== undefined && now - last.at < errorInterval) {
      last.suppressed++;
      return;
    }
    if (this.#reported.size > 1000) this.#reported.clear();
    this.#reported.set(key, { at: now, suppressed: 0 });
    const repeated = last?.suppressed ?? 0;
    const data = { component, message, ...(repeated > 0 && { repeated }), ...details };
    this.#track(
      this.emit({ type: systemError, subject: component, data, ...chain }).catch((failure: unknown) => {
        logger.warn({ err: failure, component }, `an error could not be reported as an event: ${message}`);
      }),
    );
  }

  async idle(): Promise<void> {
    await Promise.all(this.#pending);
    const newest = await this.log.position();
    while (this.#feed !== undefined && !this.#isFed(newest)) {
      await new Promise<void>((resolve) => this.#feedWaiters.push(resolve));
    }
    await this.#bus.idle();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("events stop"));
    await Promise.all([this.#bus.stop(), ...[...this.#durable.values()].map((each) => each.stop())]);
    await this.#feed;
    await Promise.all(this.#pending);
  }

  #states(): readonly SubscriptionState[] {
    return [
      ...this.#bus.subscriptions.map((each) => each.state()),
      ...[...this.#durable.values()].map((each) => each.state()),
    ];
  }

  async #emitBecause(input: EventInput, cause: CloudEvent): Promise<CloudEvent> {
    try {
      return await this.emit(causedBy(input, cause));
    } catch (error) {
      if (error instanceof EventCycleError)
        this.#reportCycle(error, { type: input.type, hops: (cause.hops ?? 0) + 1, cause: cause.id });
      throw error;
    }
  }

  #bury(letter: DeadEvent): void {
    const { logger } = this.#options;
    const { subscription: name, event, reason, attempts } = letter;
    const retried = this.#redelivered.get(event.id);
    if (retried?.letter.subscription === name) retried.hasFailed = true;
    logger.error(
      { subscription: name, event: event.id, type: event.type, attempts },
      `an event was not handled: ${reason}`,
    );
    this.#track(
      this.log.writeDead(letter).catch((error: unknown) => {
        logger.error({ err: error, event: event.id }, "a dead letter could not be stored");
      }),
    );
    // A handler of system errors that fails must not cause more of them.
    const hops = (event.hops ?? 0) + 1;
    if (event.type === systemError || hops > maxHops) return;
    const details = { subscription: name, event: event.id, type: event.type, attempts };
    this.#report(`subscription ${name}`, reason, details, { hops, cause: event.id });
  }

  #track(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }

  #isFed(position: LogPosition): boolean {
    if (this.#stopping.signal.aborted) return true;
    return this.#fed !== undefined && (this.log.distance(this.#fed, position) ?? 0) === 0;
  }

  #subscribeLive(live: ActiveSubscription): ActiveSubscription {
    this.#feed ??= this.#runFeed();
    return { ...live, ready: () => this.#feedStarted() };
  }

  async #feedStarted(): Promise<void> {
    while (this.#fed === undefined && !this.#stopping.signal.aborted) {
      await new Promise<void>((resolve) => this.#feedWaiters.push(resolve));
    }
  }

  /** Publishes the events of the log, from now on, to the bus. */
  async #runFeed(): Promise<void> {
    const { signal } = this.#stopping;
    const { clock, logger } = this.#options;
    const { patterns } = this.#bus;
    let from: LogPosition | undefined;
    while (!signal.aborted) {
      try {
        for await (const { events, position } of this.log.follow({ from, patterns, signal })) {
          for (const event of events) {
            const room = this.#bus.publish(event);
            if (room !== undefined) await room;
          }
          from = position;
          this.#fed = position;
          for (const wake of this.#feedWaiters.splice(0)) wake();
        }
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof EventLogExpired) from = undefined;
        logger.warn(
          { err: error },
          `the event log could not be read, next attempt in ${formatDuration(feedRetryDelay)}`,
        );
        await sleep(clock, feedRetryDelay, signal).catch(() => {});
      }
    }
    for (const wake of this.#feedWaiters.splice(0)) wake();
  }
}

/** The source reports its changes to controllers itself, so that these events are no reason for a run. */
function asPolled(event: CloudEvent): EventInput {
  return { ...event, revision: undefined, polled: true };
}

/** @throws {InvalidEvent} for data that is not JSON: circular, a BigInt, nested too deeply. */
function sizeOf(event: CloudEvent): number {
  try {
    return Buffer.byteLength(JSON.stringify(event));
  } catch (error) {
    throw new InvalidEvent(`the data of ${event.type} cannot be written as JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
