import type { Source } from "../client/source/source.js";
import type { CloudEvent, EventInput } from "../model/cloud-events/cloud-event.js";
import type { EventSubscription } from "./handler.js";
import type { DeadEvent, EventLog, LogPosition } from "./log/event-log.js";
import type { SubscriptionDescription } from "./subscription.js";

/** State of a subscription. */
export interface SubscriptionState {
  readonly name: string;
  readonly on: readonly string[];
  readonly durable: boolean;
  /** `resyncing`: events were missed, and existing objects are delivered. `stalled`: its handler does not keep up. */
  readonly state: "running" | "resyncing" | "stalled" | "failed" | "stopped";
  /** Why it failed or is stalled. */
  readonly reason?: string | undefined;
  /** Events that were handled, that failed after all attempts, and that wait. */
  readonly handled: number;
  readonly dead: number;
  readonly waiting: number;
  /** Position of the last event that was handled; undefined for subscriptions that are not durable. */
  readonly position?: LogPosition | undefined;
  /** Revisions between its position and the newest one. */
  readonly lag?: number | undefined;
}

/** A subscription at work. */
export interface ActiveSubscription {
  readonly name: string;
  state(): SubscriptionState;
  /** Resolves when it gets all events from then on; a durable one has stored its position. */
  ready(): Promise<void>;
  /**
   * Ends the subscription: waits for its handler, for `grace` milliseconds (default 10,000), and stores the position of a durable one.
   */
  stop(grace?: number): Promise<void>;
}

/** Events of a control plane or an operator. */
export interface Events {
  /** Emits an event: appends it to the log, from which subscribers get it. */
  emit<T>(event: EventInput<T>): Promise<CloudEvent<T>>;
  /**
   * Subscribes a handler to events.
   *
   * @example
   * plane.events.subscribe("io.example.device.**", async (event) => console.log(event.type, event.data));
   */
  subscribe(on: string | readonly string[], handle: EventSubscription["handle"]): ActiveSubscription;
  subscribe(subscription: SubscriptionDescription | EventSubscription): ActiveSubscription;
  /** Streams events, from now on or after a position, until the signal aborts. @throws {EventLogExpired} */
  follow(
    on: string | readonly string[],
    options: { readonly from?: LogPosition | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<CloudEvent>;
  /**
   * Emits the changes of a source, such as a poller, as events: created, updated, status_updated and deleted. Objects that it has found
   * before its first change are no changes. The returned function ends that. Controllers that get their objects from a poller do this
   * by themselves.
   */
  publishChanges(source: Source, kind: { readonly plural: string }): () => void;
  subscriptions(): readonly SubscriptionState[];
  /** Events that could not be handled, newest last. */
  dead(): Promise<readonly DeadEvent[]>;
  /** Delivers dead events again: those of a subscription, or one by its id. Returns how many. */
  retry(subscription: string, id?: string): Promise<number>;
  readonly log: EventLog;
}
