import { duration, formatDuration, TimeLimitError, type Clock, type Timer } from "../../model/core.js";
import { orderingKey, type CloudEvent, type EventInput } from "../../model/cloud-events/cloud-event.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import { messageOf } from "../../runtime/log/message-of.js";
import { isRejection } from "../event-rejected.js";
import type { EventSubscription, HandlerContext } from "../handler.js";
import type { DeadEvent } from "../log/event-log.js";

/** Services that all deliveries of a process share. */
export interface DeliveryServices {
  readonly clock: Clock;
  readonly log: Log;
  /** Emits an event because of another one. */
  emit(event: EventInput, cause: CloudEvent): Promise<CloudEvent>;
  /** Receives events that could not be handled. */
  onDead(letter: DeadEvent): void;
  /** Observes calls of handlers; the duration is in milliseconds. */
  onHandled?(subscription: string, event: CloudEvent, duration: number, error: unknown): void;
}

export interface DeliverySettings {
  /** Waiting events at which publishers have to wait. */
  readonly capacity: number;
  /** Events handled at the same time. */
  readonly workers: number;
  /** Milliseconds that publishers wait for a full delivery before its events become dead letters. Default: for ever. */
  readonly stallTimeout?: number | undefined;
}

const defaultTimeout = "30s";
const defaultRetries = 3;
const defaultRetryDelay = "100ms";
const maxRetryDelay = 30_000;
/** Multiple of the capacity at which events of publishers that do not wait are refused. */
const overflowFactor = 10;

interface Item {
  readonly event: CloudEvent;
  readonly settled: (() => void) | undefined;
  attempts: number;
}

/** Events with one ordering key, the oldest first. The first one may be at work, or wait for its next attempt. */
interface Lane {
  readonly key: string;
  readonly items: Item[];
}

/**
 * Delivers events to one handler. Those with the same ordering key are delivered one after the other, others at the same time.
 *
 * An event is accepted by `offer` and waits in the lane of its key. When it is the first of its lane and a worker is free, the handler is
 * called. If that fails, the event keeps its lane but not its worker, and is delivered again after a delay. In the end it is settled:
 * handled, or a dead letter.
 *
 * Invariant: a lane is in `#ready`, or its first item is at work or waits for its next attempt; never two of these.
 */
export class Delivery {
  readonly name: string;
  readonly #subscription: EventSubscription;
  readonly #services: DeliveryServices;
  readonly #settings: DeliverySettings;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #retryDelay: number;
  readonly #workers: number;
  readonly #log: Log;
  readonly #lanes = new Map<string, Lane>();
  readonly #ready: Lane[] = [];
  readonly #running = new Set<Attempt>();
  readonly #retryTimers = new Set<Timer>();
  readonly #roomWaiters: (() => void)[] = [];
  readonly #idleWaiters: (() => void)[] = [];
  /** Accepted events that are not settled. */
  #size = 0;
  #working = 0;
  /** True while `#work` runs: calls from inside would nest as deep as events wait. */
  #starting = false;
  #handled = 0;
  #dead = 0;
  #stalled = false;
  #stopped = false;

  constructor(subscription: EventSubscription, services: DeliveryServices, settings: DeliverySettings) {
    this.name = subscription.name;
    this.#subscription = subscription;
    this.#services = services;
    this.#settings = settings;
    this.#timeout = duration(subscription.timeout ?? defaultTimeout);
    this.#retries = subscription.retries ?? defaultRetries;
    this.#retryDelay = duration(subscription.retryDelay ?? defaultRetryDelay);
    this.#workers = subscription.concurrency ?? settings.workers;
    this.#log = lazyChild(services.log, () => ({ subscription: subscription.name }));
  }

  get waiting(): number {
    return this.#size;
  }

  get handled(): number {
    return this.#handled;
  }

  get dead(): number {
    return this.#dead;
  }

  get isStalled(): boolean {
    return this.#stalled;
  }

  /**
   * Accepts an event, unless the delivery has stopped. Returns a promise when the buffer is full: wait for it before the next offer.
   * `settled` is called when the event was handled or is a dead letter.
   */
  offer(event: CloudEvent, settled?: () => void): Promise<void> | undefined {
    if (this.#stopped) return undefined;
    const item: Item = { event, settled, attempts: 0 };
    if (!this.#accepts(item)) return undefined;
    const { capacity } = this.#settings;
    if (this.#stalled || this.#size >= capacity * overflowFactor) {
      this.#bury(item, `the handler does not keep up: ${this.#size} events wait for it`);
      return undefined;
    }
    this.#size++;
    const key = orderingKey(event);
    const lane = this.#lanes.get(key);
    if (lane === undefined) {
      const added: Lane = { key, items: [item] };
      this.#lanes.set(key, added);
      this.#ready.push(added);
      this.#work();
    } else {
      lane.items.push(item);
    }
    return this.#size < capacity ? undefined : this.#room();
  }

  /** Resolves when all accepted events are settled. */
  idle(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Calls no more handlers, waits for those at work, and aborts them when the signal does. Events that wait are dropped. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#retryTimers) timer.cancel();
    for (const wake of this.#roomWaiters.splice(0)) wake();
    const abort = (): void => {
      for (const attempt of this.#running) attempt.abort(deadline.reason);
    };
    if (deadline.aborted) abort();
    else deadline.addEventListener("abort", abort, { once: true });
    await Promise.all([...this.#running].map((attempt) => attempt.ended));
    deadline.removeEventListener("abort", abort);
    for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  #accepts(item: Item): boolean {
    const { canHandle } = this.#subscription;
    try {
      if (canHandle === undefined || canHandle(item.event)) return true;
      item.settled?.();
    } catch (error) {
      this.#bury(item, `canHandle failed: ${messageOf(error)}`);
    }
    return false;
  }

  /** Resolves when there is room again, or after the stall timeout. */
  #room(): Promise<void> {
    const { capacity, stallTimeout } = this.#settings;
    return new Promise((resolve) => {
      const timer =
        stallTimeout === undefined
          ? undefined
          : this.#services.clock.after(stallTimeout, () => {
              if (this.#size < capacity) return;
              this.#stalled = true;
              this.#log.error(
                { waiting: this.#size },
                "the handler does not keep up: further events become dead letters",
              );
              resolve();
            });
      this.#roomWaiters.push(() => {
        timer?.cancel();
        resolve();
      });
    });
  }

  /** Starts handlers while workers are free. One that returns at once ends inside, and leaves the next lane to this loop. */
  #work(): void {
    if (this.#starting) return;
    this.#starting = true;
    try {
      while (this.#working < this.#workers && !this.#stopped) {
        const lane = this.#ready.shift();
        if (lane === undefined) return;
        this.#start(lane);
      }
    } finally {
      this.#starting = false;
    }
  }

  #start(lane: Lane): void {
    const [item] = lane.items;
    if (item === undefined) return;
    item.attempts++;
    this.#working++;
    const attempt = new Attempt(item, this.#services, this.#log);
    const started = performance.now();
    let result: PromiseLike<unknown> | undefined;
    try {
      const returned: unknown = this.#subscription.handle(item.event, attempt);
      // Other thenables than promises may throw, or call back twice.
      if (isPromiseLike(returned))
        result = returned instanceof Promise ? returned : Promise.resolve(returned);
    } catch (error) {
      this.#end(lane, item, started, { error });
      return;
    }
    if (result === undefined) {
      this.#end(lane, item, started, undefined);
      return;
    }
    this.#running.add(attempt);
    const timer = this.#services.clock.after(this.#timeout, () =>
      attempt.abort(new TimeLimitError(`handler ${this.name}`, this.#timeout)),
    );
    const end = (failure: { readonly error: unknown } | undefined): void => {
      timer.cancel();
      if (!this.#running.delete(attempt)) return;
      attempt.resolveEnded();
      this.#end(lane, item, started, failure);
    };
    attempt.onAbort = (error) => end({ error });
    result.then(
      () => end(undefined),
      (error: unknown) => end({ error }),
    );
  }

  #end(lane: Lane, item: Item, started: number, failure: { readonly error: unknown } | undefined): void {
    this.#working--;
    this.#services.onHandled?.(this.name, item.event, performance.now() - started, failure?.error);
    if (failure === undefined) {
      this.#handled++;
      this.#settle(lane, item);
    } else if (this.#stopped) {
      // Neither handled nor dead: a durable subscription delivers it again after the next start.
      this.#size--;
    } else if (item.attempts <= this.#retries && !isRejection(failure.error)) {
      this.#retryLater(lane, item, failure.error);
    } else {
      this.#settle(lane, item, messageOf(failure.error));
    }
    this.#work();
  }

  #retryLater(lane: Lane, item: Item, error: unknown): void {
    const delay = Math.min(this.#retryDelay * 2 ** (item.attempts - 1), maxRetryDelay);
    this.#log.warn(
      { event: item.event.id, type: item.event.type, attempt: item.attempts, err: error },
      `a handler failed, next attempt in ${formatDuration(delay)}`,
    );
    const timer = this.#services.clock.after(delay, () => {
      this.#retryTimers.delete(timer);
      this.#ready.push(lane);
      this.#work();
    });
    this.#retryTimers.add(timer);
  }

  #settle(lane: Lane, item: Item, failure?: string): void {
    lane.items.shift();
    if (lane.items.length === 0) this.#lanes.delete(lane.key);
    else this.#ready.push(lane);
    this.#size--;
    if (failure === undefined) item.settled?.();
    else this.#bury(item, failure);
    const { capacity } = this.#settings;
    if (this.#stalled && this.#size <= capacity / 2) this.#stalled = false;
    // All of them: there may be more publishers that wait than events that are still to be settled.
    if (this.#size < capacity) for (const wake of this.#roomWaiters.splice(0)) wake();
    if (this.#size === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
  }

  #bury({ event, attempts, settled }: Item, reason: string): void {
    this.#dead++;
    this.#services.onDead({
      subscription: this.name,
      event,
      reason,
      attempts,
      at: this.#services.clock.now(),
    });
    settled?.();
  }
}

/** One call of a handler; its second argument. */
class Attempt implements HandlerContext {
  readonly attempt: number;
  readonly log: Log;
  readonly #event: CloudEvent;
  readonly #emit: DeliveryServices["emit"];
  #controller: AbortController | undefined;
  #ended: Promise<void> | undefined;
  resolveEnded: () => void = () => {};
  /** Called when the handler is aborted, whether it notices or not. */
  onAbort: (reason: unknown) => void = () => {};

  constructor({ event, attempts }: Item, services: DeliveryServices, log: Log) {
    this.attempt = attempts;
    this.log = log;
    this.#event = event;
    this.#emit = (...args) => services.emit(...args);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  get emit(): HandlerContext["emit"] {
    return (event) => this.#emit(event, this.#event);
  }

  get ended(): Promise<void> {
    this.#ended ??= new Promise((resolve) => (this.resolveEnded = resolve));
    return this.#ended;
  }

  abort(reason: unknown): void {
    this.#controller?.abort(reason);
    this.onAbort(reason);
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
