import type { Duration } from "../model/core.js";
import type { CloudEvent, EventInput } from "../model/cloud-events/cloud-event.js";
import type { Log } from "../runtime/log/log.js";

/** Second argument of a handler. */
export interface HandlerContext {
  /** Aborts when the time of the handler is up, and when the process stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Number of this attempt to handle the event, from 1. */
  readonly attempt: number;
  /** Emits an event because of this one. Refused if the chain of causes is too long, since that is a cycle. */
  readonly emit: (event: EventInput) => Promise<CloudEvent>;
}

export type HandleEvent<T = unknown> = (event: CloudEvent<T>, context: HandlerContext) => unknown;

/** Handler of events. If it throws, or takes too long, it is called again, and in the end the event becomes a dead letter. */
export interface EventHandler<T = unknown> {
  readonly name: string;
  /** Chooses among the events whose type matches. Default: all of them. */
  canHandle?(event: CloudEvent): boolean;
  handle(event: CloudEvent<T>, context: HandlerContext): unknown;
}

/** How events are delivered to a handler. */
export interface DeliveryOptions {
  /** Time limit of one call. Default: 30s. */
  readonly timeout?: Duration | undefined;
  /** Calls after a failed one, before the event becomes a dead letter. Default: 3. */
  readonly retries?: number | undefined;
  /** Delay before the first retry; it doubles each time, up to 30s. Default: 100ms. */
  readonly retryDelay?: Duration | undefined;
  /** Events handled at the same time; those of one object always one after the other. Default: 10, the workers of the bus. */
  readonly concurrency?: number | undefined;
}

/** Events and who handles them. Made by {@link subscription}. */
export interface EventSubscription extends DeliveryOptions {
  /** Unique in a control plane; a durable subscription resumes by it. */
  readonly name: string;
  /** Patterns of event types; an event has to match one of them. */
  readonly on: readonly string[];
  /**
   * A durable subscription gets every event at least once: also those that happened while the process was not running. Default:
   * only events from now on.
   */
  readonly durable: boolean;
  /** First events of a new durable subscription: those from now on, or the existing objects too. Default: `new`. */
  readonly start: "new" | "existing";
  readonly canHandle?: ((event: CloudEvent) => boolean) | undefined;
  readonly handle: HandleEvent;
  /** Called when events were missed because the log had been compacted; events with `resync: true` follow. */
  readonly onResync?: ((gap: { readonly from: string; readonly reason: string }) => unknown) | undefined;
}
