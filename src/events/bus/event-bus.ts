import { systemClock, type Clock } from "../../model/core.js";
import type { CloudEvent, EventInput } from "../../model/cloud-events/cloud-event.js";
import { PatternIndex } from "../../model/cloud-events/pattern-index.js";
import { silent, type Log } from "../../runtime/log/log.js";
import { causedBy, createEvent } from "../create-event.js";
import type { ActiveSubscription } from "../events.js";
import type { EventSubscription } from "../handler.js";
import type { DeadEvent } from "../log/event-log.js";
import { subscription, type SubscriptionDescription } from "../subscription.js";
import { Delivery, type DeliveryServices } from "./delivery.js";

export const defaultBuffer = 1000;
export const defaultWorkers = 10;
/** Milliseconds that publishers wait for one handler before its events become dead letters, so that others go on. */
const stallTimeout = 30_000;
/** Dead letters that a bus of its own keeps. */
const maxDeadLetters = 1000;

export interface EventBusOptions {
  /** Events that may wait for one handler; then publishers wait. Default: 1,000. */
  readonly buffer?: number | undefined;
  /** Events that one handler handles at the same time, unless its subscription says otherwise. Default: 10. */
  readonly workers?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** Receives events that could not be handled. Default: {@link EventBus.dead} keeps the last 1,000. */
  readonly onDead?: ((letter: DeadEvent) => void) | undefined;
  /** Emits an event of a handler. Default: publishes it on this bus. */
  readonly emit?: ((event: EventInput, cause: CloudEvent) => Promise<CloudEvent>) | undefined;
  readonly onHandled?: DeliveryServices["onHandled"];
}

/** Bus for events in one process. Made by {@link eventBus}. */
export interface EventBus extends AsyncDisposable {
  /**
   * Publishes an event to all handlers whose patterns match. Returns a promise while a handler's buffer is full: wait for it, so that the
   * handlers can keep up.
   */
  publish(event: CloudEvent): Promise<void> | undefined;
  /** @throws {EventPatternError} @throws {RangeError} */
  subscribe(on: string | readonly string[], handle: EventSubscription["handle"]): ActiveSubscription;
  subscribe(subscription: SubscriptionDescription | EventSubscription): ActiveSubscription;
  /** Publishes an event to one subscription only. */
  redeliver(name: string, event: CloudEvent, settled?: () => void): Promise<void> | undefined;
  /** Whether a handler would get events of a type. */
  hasSubscribers(type: string): boolean;
  readonly subscriptions: readonly ActiveSubscription[];
  /** Patterns of all subscriptions. */
  readonly patterns: PatternIndex<unknown>;
  /** Events that could not be handled, newest last; none if there is an `onDead`. */
  dead(): readonly DeadEvent[];
  /** Number of events that wait. */
  readonly size: number;
  /** Resolves when all published events have been handled. */
  idle(): Promise<void>;
  /** Waits for handlers at work, for `grace` milliseconds (default 10,000), and ends all subscriptions. */
  stop(grace?: number): Promise<void>;
}

/**
 * Creates a bus for events, in memory: handlers subscribe to patterns of types, and get events from then on.
 *
 * @example
 * const bus = eventBus({ buffer: 1000, workers: 10 });
 * bus.subscribe("io.example.device.**", (event) => console.log(event.type));
 * await bus.publish(createEvent({ type: "io.example.device.created", data: device }));
 */
export function eventBus(options: EventBusOptions = {}): EventBus {
  return new InMemoryBus(options);
}

class InMemoryBus implements EventBus {
  readonly #index = new PatternIndex<Delivery>();
  readonly #active = new Map<string, ActiveSubscription & { readonly delivery: Delivery }>();
  readonly #services: DeliveryServices;
  readonly #options: EventBusOptions;
  readonly #clock: Clock;
  readonly #dead: DeadEvent[] = [];
  #unnamed = 0;

  constructor(options: EventBusOptions) {
    const { clock = systemClock, log = silent, onDead = (letter) => this.#keep(letter) } = options;
    this.#options = options;
    this.#clock = clock;
    this.#services = {
      clock,
      log,
      onDead,
      onHandled: options.onHandled,
      emit: options.emit ?? ((event, cause) => this.#emit(event, cause)),
    };
  }

  get patterns(): PatternIndex<unknown> {
    return this.#index;
  }

  get size(): number {
    let size = 0;
    for (const { delivery } of this.#active.values()) size += delivery.waiting;
    return size;
  }

  get subscriptions(): readonly ActiveSubscription[] {
    return [...this.#active.values()];
  }

  hasSubscribers(type: string): boolean {
    return this.#index.match(type).length > 0;
  }

  publish(event: CloudEvent): Promise<void> | undefined {
    let full: Promise<void>[] | undefined;
    for (const delivery of this.#index.match(event.type)) {
      const room = delivery.offer(event);
      if (room !== undefined) (full ??= []).push(room);
    }
    return full && allOf(full);
  }

  redeliver(name: string, event: CloudEvent, settled?: () => void): Promise<void> | undefined {
    return this.#active.get(name)?.delivery.offer(event, settled);
  }

  subscribe(
    first: string | readonly string[] | SubscriptionDescription | EventSubscription,
    handle?: EventSubscription["handle"],
  ): ActiveSubscription {
    const description = isPatterns(first)
      ? { name: `unnamed-${++this.#unnamed}`, on: first, handle: handle ?? noHandler() }
      : first;
    const added = subscription(description);
    const { name } = added;
    if (this.#active.has(name))
      throw new Error(`there is a subscription ${name} already: give each its own name`);
    const { buffer = defaultBuffer, workers = defaultWorkers } = this.#options;
    const delivery = new Delivery(added, this.#services, { capacity: buffer, workers, stallTimeout });
    for (const pattern of added.on) this.#index.add(pattern, delivery);
    const active = {
      name,
      delivery,
      state: () =>
        ({
          name,
          on: added.on,
          durable: false,
          state: delivery.isStalled ? "stalled" : "running",
          handled: delivery.handled,
          dead: delivery.dead,
          waiting: delivery.waiting,
        }) as const,
      ready: async () => {},
      stop: async (grace = 10_000): Promise<void> => {
        for (const pattern of added.on) this.#index.delete(pattern, delivery);
        if (this.#active.get(name) === active) this.#active.delete(name);
        const deadline = new AbortController();
        const abort = (): void => deadline.abort(new Error("the event bus stops"));
        const timer = grace > 0 ? this.#clock.after(grace, abort) : undefined;
        if (timer === undefined) abort();
        await delivery.stop(deadline.signal);
        timer?.cancel();
      },
    };
    this.#active.set(name, active);
    return active;
  }

  dead(): readonly DeadEvent[] {
    return [...this.#dead];
  }

  async idle(): Promise<void> {
    while (this.size > 0) {
      await Promise.all([...this.#active.values()].map(({ delivery }) => delivery.idle()));
    }
  }

  async stop(grace?: number): Promise<void> {
    await Promise.all([...this.#active.values()].map((each) => each.stop(grace)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #emit(input: EventInput, cause: CloudEvent): Promise<CloudEvent> {
    const event = createEvent(causedBy(input, cause), { clock: this.#clock });
    await this.publish(event);
    return event;
  }

  #keep(letter: DeadEvent): void {
    this.#dead.push(letter);
    if (this.#dead.length > maxDeadLetters) this.#dead.shift();
  }
}

async function allOf(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.all(promises);
}

function isPatterns(value: unknown): value is string | readonly string[] {
  return typeof value === "string" || Array.isArray(value);
}

function noHandler(): never {
  throw new TypeError("subscribe(pattern, handler) needs a handler");
}
