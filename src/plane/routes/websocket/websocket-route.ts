import type { EventLog } from "../../../events/log/event-log.js";
import { duration, failures, type Clock, type Duration } from "../../../model/core.js";
import type { PatternIndex } from "../../../model/cloud-events/pattern-index.js";
import type { Log } from "../../../runtime/log/log.js";
import type { Extension } from "../../../server/index.js";
import { requireUser } from "../require-user.js";
import type { EventAccess } from "../event-access.js";
import type { Topics } from "../topics.js";
import { EventHub } from "./event-hub.js";
import { SocketSession, type SessionParts, type SocketLimits } from "./socket-session.js";

/** Options of the WebSocket for events. */
export interface WebSocketOptions {
  /** Topics of one connection. Default: 100. */
  readonly maxTopics?: number | undefined;
  /** Subscriptions of all connections together. Default: 100,000. */
  readonly maxSubscriptions?: number | undefined;
  /** Messages per second that a client may send; further ones are read later. Default: 20. */
  readonly messagesPerSecond?: number | undefined;
  /** Interval of heartbeats. Default: 30s. */
  readonly heartbeat?: Duration | undefined;
}

export interface WebSocketRouteOptions {
  readonly options: WebSocketOptions;
  readonly topics: Topics;
  /** Parts that are started after the server. */
  readonly parts: () => {
    readonly events: EventLog;
    readonly access: EventAccess;
    /** Notes that somebody reads events of these patterns, which change. */
    readonly noteReaders: (patterns: PatternIndex<unknown>) => void;
  };
  readonly clock: Clock;
  readonly log: Log;
}

/** Path of the WebSocket for events. */
const webSocketPath = "/ws";

/**
 * Serves events over a WebSocket: `{"action":"subscribe","topics":["…"]}`, then `{type, payload, id}` for each event.
 *
 * Every authenticated user may connect, and gets events about objects that they may watch.
 */
export function webSocketRoute({ options, topics, parts, clock, log }: WebSocketRouteOptions): Extension {
  const limits = limitsOf(options);
  const total = { count: 0 };
  let hub: EventHub | undefined;
  return {
    path: webSocketPath,
    access: "own",
    maxMessageBytes: 64 * 1024,
    async serve({ user, path }) {
      if (path !== "") return undefined;
      requireUser(user);
      const message = "this is a WebSocket: connect with a WebSocket client";
      const status = failures.badRequest(message).status;
      return { code: 426, headers: { Upgrade: "websocket" }, json: { ...status, code: 426 } };
    },
    async upgrade({ user, path }) {
      if (path !== "") return undefined;
      requireUser(user);
      const { events, access, noteReaders } = parts();
      if (hub === undefined) {
        hub = new EventHub({ events, clock, log });
        noteReaders(hub.patterns);
      }
      const session: SessionParts = { events, hub, access, topics, limits, clock, total };
      return (connection) => new SocketSession(connection, user, session).run();
    },
  };
}

/** @throws {RangeError} for a limit that is none. */
function limitsOf({
  maxTopics = 100,
  maxSubscriptions = 100_000,
  messagesPerSecond = 20,
  heartbeat = "30s",
}: WebSocketOptions): SocketLimits {
  const numbers = { maxTopics, maxSubscriptions, messagesPerSecond };
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isInteger(value) || value < 1)
      throw new RangeError(`websocket.${name} must be an integer from 1, not ${value}`);
  }
  const interval = duration(heartbeat);
  if (!(interval >= 100)) throw new RangeError("websocket.heartbeat must be at least 100ms");
  return { topics: maxTopics, subscriptions: maxSubscriptions, messagesPerSecond, heartbeat: interval };
}
