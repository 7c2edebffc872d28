import { EventLogExpired, type EventLog, type LogPosition } from "../../../events/log/event-log.js";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { PatternIndex } from "../../../model/cloud-events/pattern-index.js";
import type { SocketConnection } from "../../../server/index.js";
import type { EventHub, HubReader } from "./event-hub.js";
import { eventMessage, type ResumePoint } from "./protocol.js";
import type { Subscriptions } from "./subscriptions.js";

export interface SocketFeedOptions {
  readonly events: EventLog;
  readonly hub: EventHub;
  readonly connection: SocketConnection;
  readonly subscriptions: Subscriptions;
  /** Whether the client may read an event; a promise if the decision takes time. */
  readonly mayRead: (event: CloudEvent) => boolean | Promise<boolean>;
  /** The log no longer has the events that the client lacks; those after `position` follow. */
  readonly onExpired: (position: LogPosition) => Promise<unknown>;
}

/**
 * Sends events to one client. It is in one of three modes:
 *
 * - **idle**: nothing was subscribed to yet.
 * - **live**: the hub offers events, which are sent at once. Entered when the hub has offered no event that the client lacks. Left when
 *   the client reads too slowly, or a decision about its access takes time.
 * - **reading**: the feed reads the log on its own, as fast as the client reads. Entered to resume, and from live. Left for live when
 *   it has caught up with the hub.
 *
 * So nothing is buffered for a slow client: the log has the events. A client that does not read at all is disconnected.
 */
export class SocketFeed implements HubReader {
  readonly #options: SocketFeedOptions;
  /** Set while live: events up to this position have been sent, though the hub may offer them. */
  #joinedAt: LogPosition | undefined;
  /** Last event that was sent live. */
  #last: ResumePoint["after"];
  /** Set while reading; ends it. */
  #reading: AbortController | undefined;

  constructor(options: SocketFeedOptions) {
    this.#options = options;
  }

  /** Position up to which the client has all events; undefined while the feed reads. */
  get position(): LogPosition | undefined {
    return this.#joinedAt === undefined ? undefined : this.#options.hub.position;
  }

  /** Starts with the events from now on, unless the feed is at work. Returns the newest position. */
  async start(): Promise<LogPosition> {
    const position = await this.#options.events.position();
    if (this.#joinedAt === undefined && this.#reading === undefined) this.#continueAt(position);
    return position;
  }

  /**
   * Sends the events after a place in the log, and then those that follow. `respond` is called before the first one, unless they have
   * expired. Resolves then.
   */
  resume(point: ResumePoint, respond: () => Promise<unknown>): Promise<void> {
    return this.#startReading(point, respond);
  }

  stop(): void {
    this.#reading?.abort();
    this.#options.hub.leave(this);
    this.#joinedAt = undefined;
  }

  offer(event: CloudEvent): void {
    const { hub, events, connection } = this.#options;
    const { revision = "", id } = event;
    if (this.#joinedAt === undefined || isWithin(events, revision, this.#joinedAt)) return;
    const allowed = this.#decideNow(event);
    if (allowed === false) return;
    if (allowed === true && !connection.isCongested) {
      void connection.send(eventMessage(event));
      this.#last = { revision, id };
      return;
    }
    const before = hub.position ?? this.#joinedAt;
    const hasPart = this.#last !== undefined && !isWithin(events, this.#last.revision, before);
    void this.#startReading({ from: this.#later(before), after: hasPart ? this.#last : undefined });
  }

  /** Decision about an event; undefined if it takes time, or fails. Reading decides again, and ends this connection only if that fails. */
  #decideNow(event: CloudEvent): boolean | undefined {
    try {
      const allowed = this.#options.mayRead(event);
      if (typeof allowed === "boolean") return allowed;
      allowed.catch(() => {});
    } catch {
      // As above.
    }
    return undefined;
  }

  lose(position: LogPosition): void {
    if (this.#joinedAt !== undefined) void this.#startReading({ from: this.#later(position) });
  }

  /** A position, or the one at which the feed has joined, if that is later. */
  #later(position: LogPosition): LogPosition {
    const { events } = this.#options;
    return this.#joinedAt !== undefined && isWithin(events, position, this.#joinedAt)
      ? this.#joinedAt
      : position;
  }

  /** Goes live, if the hub has offered no event that was not sent; reads the log otherwise. */
  #continueAt(position: LogPosition): void {
    const { hub, subscriptions } = this.#options;
    if (!hub.canJoin(position)) {
      void this.#startReading({ from: position });
      return;
    }
    this.#reading = undefined;
    this.#joinedAt = position;
    this.#last = undefined;
    subscriptions.releaseIndex();
    hub.join(this);
  }

  #startReading(point: ResumePoint, respond?: () => Promise<unknown>): Promise<void> {
    const { hub, connection, events } = this.#options;
    hub.leave(this);
    this.#joinedAt = undefined;
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    const signal = AbortSignal.any([reading.signal, connection.signal]);
    return new Promise((resolve) => {
      const work = async (): Promise<void> => {
        if (respond !== undefined) {
          await checkPosition(events, point.from);
          await respond();
          resolve();
        }
        await this.#read(point, signal);
      };
      void work()
        .catch((error: unknown) => this.#recover(error, signal))
        .catch(() => connection.close(1011, unavailable))
        .finally(resolve);
    });
  }

  async #read({ from, after }: ResumePoint, signal: AbortSignal): Promise<void> {
    const { events: log, hub, connection, subscriptions, mayRead } = this.#options;
    const batches = log.follow({ from, patterns: subscriptions.index, signal })[Symbol.asyncIterator]();
    try {
      let next = batches.next();
      let skipped = after;
      for (;;) {
        const { done, value } = await next;
        if (done === true) return;
        for (const event of value.events) {
          if (skipped !== undefined) {
            const { revision = "", id } = event;
            const isBeyond = !isWithin(log, revision, skipped.revision);
            if (isBeyond || (revision === skipped.revision && id === skipped.id)) skipped = undefined;
            if (!isBeyond) continue;
          }
          const allowed = await mayRead(event);
          if (signal.aborted) return;
          if (allowed && !(await connection.send(eventMessage(event)))) return;
          if (signal.aborted) return;
        }
        if (hub.canJoin(value.position)) {
          this.#continueAt(value.position);
          return;
        }
        next = batches.next();
      }
    } finally {
      void batches.return?.();
    }
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (!(error instanceof EventLogExpired)) throw error;
    const { events, onExpired } = this.#options;
    const position = await events.position();
    await onExpired(position);
    if (!signal.aborted) this.#continueAt(position);
  }
}

const unavailable = "events cannot be read at present: connect again and resume";

/** True when a revision is at or before a position. */
function isWithin(log: EventLog, revision: string, position: LogPosition): boolean {
  return log.distance(position, revision) === 0;
}

/**
 * Checks that the log still has the events after a position, as far as it can tell at once.
 *
 * @throws {EventLogExpired}
 */
async function checkPosition(log: EventLog, from: LogPosition): Promise<void> {
  const end = new AbortController();
  const patterns = new PatternIndex<never>();
  const batches = log.follow({ from, patterns, signal: end.signal })[Symbol.asyncIterator]();
  try {
    // The first batch may have nothing but the position.
    if (await settlesNow(batches.next())) await settlesNow(batches.next());
  } finally {
    end.abort();
  }
}

/** True if a promise resolves within this turn of the event loop; rejects if it does. */
function settlesNow(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    promise.then(() => resolve(true), reject);
    setImmediate(() => resolve(false));
  });
}
