import type { Duration } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { PatternIndex } from "../../model/cloud-events/pattern-index.js";

/**
 * Position in an event log: all events up to it have been delivered. Opaque text; in the log of a control plane it is a revision
 * of the store.
 */
export type LogPosition = string;

/** Events in the order of the log. */
export interface LogBatch {
  /** May be empty: then only the position has advanced. */
  readonly events: readonly CloudEvent[];
  /** Position after this batch. */
  readonly position: LogPosition;
}

export interface LogReadOptions {
  /** Start after this position. Default: the newest one. */
  readonly from?: LogPosition | undefined;
  /** Patterns of event types; may change while the log is read. Events that match none are left out. Default: all events. */
  readonly patterns?: PatternIndex<unknown> | undefined;
  /** `appended` leaves out events about changes of objects. */
  readonly only?: "appended" | undefined;
  readonly signal: AbortSignal;
}

export interface AppendOptions {
  /** Time after which the events are deleted. Default: that of the log. */
  readonly ttl?: Duration | undefined;
}

/** The log no longer has the events after a position: the reader has to start again from a snapshot. */
export class EventLogExpired extends Error {
  override readonly name = "EventLogExpired";
}

/**
 * Ordered log of events: those derived from changes of objects, and those that were appended. The control plane implements it on its
 * store; on Kubernetes it follows watches, and appended events are delivered to this process only.
 */
export interface EventLog {
  /**
   * Appends events that are no change of an object. An event with the id and source of one that the log has is ignored. In a control
   * plane, events are durable when the promise resolves.
   */
  append(events: readonly CloudEvent[], options?: AppendOptions): Promise<void>;
  /**
   * Streams the events after a position: first from history, then live. The events of one object come in order, and every event at
   * least once. The first batch is empty and has the position to start after.
   *
   * @throws {EventLogExpired} when the log no longer has the events after `from`, or the reader was too slow.
   */
  follow(options: LogReadOptions): AsyncIterable<LogBatch>;
  /**
   * Describes the present state, for readers whose position has expired: a `created` event with `resync: true` for every object,
   * and the appended events that have not expired. Continue after the position of the last batch.
   */
  snapshot(options: Pick<LogReadOptions, "patterns" | "signal">): AsyncIterable<LogBatch>;
  /** Newest position. */
  position(): Promise<LogPosition>;
  /** Number of positions between two, as a measure of lag; undefined where positions cannot be compared. */
  distance(from: LogPosition, to: LogPosition): number | undefined;
  /** Reads where a durable subscription has stopped; undefined for a new one. */
  readCursor(name: string): Promise<SubscriptionCursor | undefined>;
  writeCursor(name: string, cursor: SubscriptionCursor): Promise<void>;
  deleteCursor(name: string): Promise<void>;
  /** Names of all stored cursors. */
  cursors(): Promise<readonly string[]>;
  /** Stores an event that could not be handled, for a week. */
  writeDead(letter: DeadEvent): Promise<void>;
  /** Oldest first. */
  readDead(): Promise<readonly DeadEvent[]>;
  deleteDead(letter: DeadEvent): Promise<void>;
}

/** An event that a handler failed to handle. */
export interface DeadEvent {
  readonly subscription: string;
  readonly event: CloudEvent;
  readonly reason: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Position of a durable subscription. */
export interface SubscriptionCursor {
  /** All events up to it were handled. */
  readonly position: LogPosition;
  /** Time at which it was written, in milliseconds since 1970. */
  readonly at: number;
}
